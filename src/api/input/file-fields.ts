import { isRecord } from '../json/is-record.ts';
import type { Model } from '../models/define-model.ts';
import { contentAt } from '../models/json-schema.ts';
import { contentNamed, isMeantAsFile } from './file-references.ts';

/** A file of the store that stands where a field takes a URL. */
export interface FileInInput {
  /** `['image_urls', '1']` */
  path: readonly string[];
  reference: string;
}

/**
 * The files of the store that an input names, or was meant to: where its model takes files, and by their content also in
 * fields that the model does not know.
 */
export function filesIn(model: Model, input: Readonly<Record<string, unknown>>): FileInInput[] {
  const found: FileInInput[] = [];
  mapFiles(model, input, (reference, path) => {
    found.push({ path, reference });
    return reference;
  });
  return found;
}

/** The same input with another text in the place of each. */
export function mapFiles(
  model: Model,
  input: Readonly<Record<string, unknown>>,
  by: (reference: string, path: readonly string[]) => string,
): Record<string, unknown> {
  const walk = (value: unknown, path: readonly string[]): unknown => {
    if (typeof value === 'string') return isFile(model, value, path) ? by(value, path) : value;
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, String(index)]));
    return isRecord(value) ? walkFields(value, path) : value;
  };
  const walkFields = (fields: Readonly<Record<string, unknown>>, path: readonly string[]) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, walk(value, [...path, name])]));
  return walkFields(input, []);
}

function isFile(model: Model, text: string, path: readonly string[]): boolean {
  if (!isMeantAsFile(text)) return false;
  const content = contentAt(model, path);
  return typeof content === 'object' || (content === undefined && contentNamed(text) !== undefined);
}
