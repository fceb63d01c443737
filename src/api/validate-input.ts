import type { z } from 'zod';
import { allowedValues } from './allowed-values.ts';
import type { FieldError } from './field-error.ts';
import { isRecord } from './is-record.ts';
import type { Model } from './models/define-model.ts';
import { inputSchema, schemaAt } from './models/json-schema.ts';
import { type ModelOverride, notAField, notAModel } from './models/override.ts';
import { findModel } from './models/registry.ts';
import { violations } from './models/rule.ts';
import { shown, shownName } from './shown.ts';

/** More mistakes than this in one input are counted, not listed: the list ends up in a failure's details. */
const MOST_ERRORS = 50;

/**
 * Everything that is wrong with a model's input, one entry a field; empty when it may be submitted. Paths are
 * `model`, `input`, `input.aspect_ratio`, `input.image_urls.2`; messages say what was wrong and what is allowed,
 * and repeat nothing of the caller's that is longer than 60 characters. A field that the model does not know is
 * refused unless the override passes unknown fields. Takes any value and never throws.
 */
export function validateInput(modelId: string, input: unknown, override: ModelOverride = {}): FieldError[] {
  const model = typeof modelId === 'string' ? findModel(modelId) : undefined;
  if (model === undefined) {
    return [{ path: 'model', message: notAModel(typeof modelId === 'string' ? modelId : shown(modelId)) }];
  }
  if (!isRecord(input)) {
    return [{ path: 'input', message: `must be an object with ${model.id}'s fields; got ${shown(input)}` }];
  }
  try {
    return limited(inputErrors(model, input, override));
  } catch {
    // Only a value with code of its own (a getter, a proxy) gets here; nothing that came over the network can.
    return [{ path: 'input', message: 'must be plain data; reading it failed' }];
  }
}

function inputErrors(model: Model, input: Record<string, unknown>, override: ModelOverride): FieldError[] {
  const names = Object.keys(model.fields);
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const known = given.filter(([name]) => names.includes(name));
  const unknown = given.filter(([name]) => !names.includes(name));
  const result = model.input.safeParse(Object.fromEntries(known));
  const issues = result.error?.issues.filter(({ code }) => code !== 'custom') ?? [];
  const found = [
    ...unknown.flatMap(([name]) => unknownField(model, name, names, override) ?? []),
    ...issues.map((issue) => toFieldError(issue, model, input)),
    // zod leaves the rules (its only custom issues) out where a field is wrong; all mistakes are told at once.
    ...violations(model.rules, Object.fromEntries(known)).map(({ path, message }) => ({
      path: `input.${path}`,
      message,
    })),
  ];
  return found.filter(({ path }, position) => found.findIndex((other) => other.path === path) === position);
}

function unknownField(
  model: Model,
  name: string,
  names: readonly string[],
  override: ModelOverride,
): FieldError | undefined {
  const path = `input.${shownName(name)}`;
  const [ours] = Object.entries(override.fields ?? {}).find(([, wireName]) => wireName === name) ?? [];
  if (ours !== undefined) return { path, message: `is ${ours}'s name on the wire; write ${ours}` };
  if (name === '__proto__') return { path, message: 'is not a field name that can be sent' };
  return override.passUnknown === true ? undefined : { path, message: notAField(model, name, names) };
}

/** The field's own limits make the message, so that it always says all that is allowed. */
function toFieldError(issue: z.core.$ZodIssue, model: Model, input: Record<string, unknown>): FieldError {
  const path = ['input', ...issue.path.map((key) => shownName(String(key)))].join('.');
  const schema = schemaAt(inputSchema(model), issue.path);
  const allowed = schema === undefined ? 'different' : allowedValues(schema);
  const value = issue.path.reduce<unknown>(child, input);
  if (value === undefined) return { path, message: `is required: ${allowed}` };
  return { path, message: `must be ${allowed}; got ${shown(value)}` };
}

function child(parent: unknown, key: PropertyKey): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) return undefined;
  return Reflect.get(parent, key);
}

function limited(errors: FieldError[]): FieldError[] {
  if (errors.length <= MOST_ERRORS) return errors;
  const more = errors.length - MOST_ERRORS;
  return [...errors.slice(0, MOST_ERRORS), { path: 'input', message: `has ${more} more mistakes` }];
}
