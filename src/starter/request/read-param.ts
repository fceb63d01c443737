import { InvalidArgumentError } from 'commander';
import { parseJson } from '../../api/json/parse-json.ts';
import { localFile } from './parse-fields.ts';

/** An option `--param name=value`, with those before it: JSON where it is some, else text; `@photo.png` is a file. */
export function readParam(text: string, before: Record<string, unknown> = {}): Record<string, unknown> {
  const at = text.indexOf('=');
  if (at <= 0) throw new InvalidArgumentError('It is name=value, like city=Oslo.');
  const [name, value] = [text.slice(0, at), text.slice(at + 1)];
  return { ...before, [name]: localFile(name, value) ?? parseJson(value) ?? value };
}
