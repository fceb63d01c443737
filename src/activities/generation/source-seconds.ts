import { isFileReference } from '../../api/input/file-references.ts';
import { TaskInspection } from '../../outputs/inspection/task-inspection.ts';
import { timedFields } from '../../policy/prices/price-facts.ts';
import type { ActivityDeps } from '../deps.ts';
import type { CheckedSubmit } from './check-submit.ts';

/**
 * How long the sources of a submit last that are heard or seen as they run, by field: those that its request tells of, and
 * the files of the store, which are looked into. A field that is missing nobody knows of.
 */
export async function sourceSeconds(
  { store, files }: Pick<ActivityDeps, 'store' | 'files'>,
  { model, input, sourceSeconds: told = {} }: Pick<CheckedSubmit, 'model' | 'input' | 'sourceSeconds'>,
): Promise<Record<string, number>> {
  const inspection = new TaskInspection();
  const secondsOf = async (reference: unknown): Promise<number | null> => {
    const key =
      typeof reference === 'string' && isFileReference(reference) ? files.keyOf(reference) : undefined;
    const found = key === undefined ? undefined : await store.stat(key);
    if (key === undefined || found === undefined) return null;
    const source = { size: found.bytes, read: (start: number, end: number) => store.read(key, start, end) };
    return (await inspection.inspect(store.uriOf(key), source)).duration;
  };
  const fields = timedFields({ model, input }).filter((field) => told[field] === undefined);
  // Whatever keeps it from being read is told by what sends it.
  const found = await Promise.all(fields.map((field) => secondsOf(input[field]).catch(() => null)));
  const looked = fields.flatMap((field, at) => {
    const seconds = found[at] ?? null;
    return seconds === null ? [] : [[field, seconds] as const];
  });
  return { ...told, ...Object.fromEntries(looked) };
}
