import { statSync } from 'node:fs';
import { parseJson } from '../../api/json/parse-json.ts';
import { describeModel, type FieldDescription } from '../../api/models/describe.ts';
import type { JsonSchema } from '../../api/models/json-schema.ts';
import { findModel } from '../../api/models/registry.ts';
import { LocalFile } from '../../contract/file-input.ts';
import { ownCommand } from '../../package/own-command.ts';
import { UsageError } from '../failures/usage-error.ts';

/**
 * Command line fields → a model's input. Values take the type of the model's field: numbers, true and false, JSON
 * for objects, lists as JSON or by repeating the field. What does not fit its type stays text, so that the check
 * of the whole input names it. Fields that the model does not know stay text, too. `@photo.png` is a file of this machine,
 * where a field takes files.
 *
 * @throws UsageError for an argument without `=`, and a field that is no list given twice
 */
export function parseFields(modelId: string, fields: readonly string[]): Record<string, unknown> {
  const given = new Map<string, string[]>();
  for (const argument of fields) {
    const at = argument.indexOf('=');
    if (at <= 0) {
      throw new UsageError(
        `${JSON.stringify(argument)} is not field=value, as in:\n  ${ownCommand('generate', 'image-l')} prompt="a red fox in snow"`,
      );
    }
    const name = argument.slice(0, at);
    given.set(name, [...(given.get(name) ?? []), argument.slice(at + 1)]);
  }
  const described = fieldsOf(modelId);
  return Object.fromEntries(
    [...given].map(([name, texts]) => [name, parseValues(name, texts, described.get(name))]),
  );
}

/** One field's value from a text, as `parseFields` reads it. */
export function parseFieldOrFile(modelId: string, name: string, text: string): unknown {
  return parseValues(name, [text], fieldsOf(modelId).get(name));
}

/** The same without files: of a text that is no word of a command line. */
export function parseField(modelId: string, name: string, text: string): unknown {
  const { kind: _, ...field } = fieldsOf(modelId).get(name) ?? { kind: undefined };
  return parseValues(name, [text], 'type' in field ? field : undefined);
}

function fieldsOf(modelId: string): Map<string, FieldDescription> {
  const model = findModel(modelId);
  const fields = model === undefined ? [] : describeModel(model).fields;
  return new Map(fields.map((field) => [field.name, field]));
}

function parseValues(name: string, texts: readonly string[], field: FieldDescription | undefined): unknown {
  if (field?.type === 'array')
    return texts.flatMap((text) => readFile(name, text, field) ?? parseItems(text, field.items));
  const [text = '', ...more] = texts;
  if (more.length > 0) throw new UsageError(`${name} is given ${texts.length} times, and takes one value`);
  if (field === undefined) return text;
  if (field.nullable === true && text === 'null') return null;
  const file = readFile(name, text, field);
  if (file !== undefined) return file;
  return parseScalar(text, field.type);
}

/** `@photo.png` where a field takes files. */
function readFile(name: string, text: string, { kind }: FieldDescription): LocalFile | undefined {
  return kind === undefined ? undefined : localFile(name, text);
}

/**
 * The file of `@photo.png`; undefined for another text.
 *
 * @throws UsageError where there is none
 */
export function localFile(name: string, text: string): LocalFile | undefined {
  if (!text.startsWith('@')) return undefined;
  const path = text.slice(1);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new UsageError(`${name}=${text}: there is no file ${path}`);
  return new LocalFile(path);
}

function parseItems(text: string, items: JsonSchema | undefined): unknown[] {
  const json = text.trimStart().startsWith('[') ? parseJson(text) : undefined;
  if (Array.isArray(json)) return json;
  return [parseScalar(text, typeof items?.type === 'string' ? items.type : 'any')];
}

function parseScalar(text: string, type: string): unknown {
  if (type === 'string') return text;
  const value = parseJson(text);
  if (value === undefined || type === 'any') return value ?? text;
  const fits = {
    integer: typeof value === 'number',
    number: typeof value === 'number',
    boolean: typeof value === 'boolean',
    object: typeof value === 'object',
  }[type];
  return fits === true ? value : text;
}
