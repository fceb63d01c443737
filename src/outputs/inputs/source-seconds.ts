import { isFileReference } from '../../api/input/file-references.ts';
import { type Priced, timedFields } from '../../policy/prices/price-facts.ts';
import { inspectMedia } from '../inspection/inspector.ts';
import type { OutputStore } from '../stores/output-store.ts';
import type { InputFiles } from './input-files.ts';

/**
 * How long the sources of a request last that are heard or seen as they run, by field: those that it tells of, and the files
 * of the store, which are looked into. A field that is missing nobody knows of.
 */
export async function sourceSeconds(
  { store, files }: { store: OutputStore; files: Pick<InputFiles, 'keyOf'> },
  { model, input, sourceSeconds: told = {} }: Priced,
): Promise<Record<string, number>> {
  const secondsOf = async (reference: unknown): Promise<number | null> => {
    const key =
      typeof reference === 'string' && isFileReference(reference) ? files.keyOf(reference) : undefined;
    const found = key === undefined ? undefined : await store.stat(key);
    if (key === undefined || found === undefined) return null;
    const source = { size: found.bytes, read: (start: number, end: number) => store.read(key, start, end) };
    return (await inspectMedia(source)).duration;
  };
  const fields = timedFields({ model, input }).filter((field) => told[field] === undefined);
  // What keeps one from being read is told by what sends it.
  const found = await Promise.all(fields.map((field) => secondsOf(input[field]).catch(() => null)));
  const looked = fields.flatMap((field, at) => {
    const seconds = found[at] ?? null;
    return seconds === null ? [] : [[field, seconds] as const];
  });
  return { ...told, ...Object.fromEntries(looked) };
}
