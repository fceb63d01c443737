import { InvalidArgumentError } from 'commander';
import type { Tags } from '../../contract/tags.ts';

/** An option `--tag name=value`, with those before it; the request's check says what is wrong with a word. */
export function readTag(text: string, before: Tags = {}): Tags {
  const at = text.indexOf('=');
  if (at <= 0) throw new InvalidArgumentError('It is name=value, like team=film.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}
