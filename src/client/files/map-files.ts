import { fileReference } from '../../api/input/file-references.ts';
import { type FileInput, isFileInput, storedFile } from '../../contract/file-input.ts';

/** Stands for a file that is not uploaded yet. */
const ANY = fileReference('0'.repeat(64));

/** A request as it can be checked before its files are uploaded. */
export function unsent<Value>(request: Value): Value {
  return withReferences(request, (file) => storedFile(file)?.uri ?? ANY);
}

/** The files in a request, or in what was laid out for one, each once. */
export function filesIn(value: unknown): Set<FileInput> {
  const found = new Set<FileInput>();
  withReferences(value, (file) => {
    found.add(file);
    return '';
  });
  return found;
}

/** The same with a text in the place of each file. Only plain objects and lists are looked into. */
export function withReferences<Value>(value: Value, by: (file: FileInput) => string): Value;
export function withReferences(value: unknown, by: (file: FileInput) => string): unknown {
  if (isFileInput(value)) return by(value);
  if (Array.isArray(value)) return value.map((item) => withReferences(item, by));
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withReferences(inner, by)]));
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
