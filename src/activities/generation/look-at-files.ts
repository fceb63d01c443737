import pLimit from 'p-limit';
import type { FieldError } from '../../api/input/field-error.ts';
import { contentNamed } from '../../api/input/file-references.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { OutputStoreFailed } from '../../outputs/output-errors.ts';
import { safeKey } from '../../outputs/output-key.ts';
import type { ActivityDeps } from '../deps.ts';

const AT_ONCE = 8;
const MOST_ERRORS = 20;

/** A file of the store, and where the request names it. */
export interface NamedFile {
  path: string;
  reference: string;
}

/**
 * Whether files of the store are there, before anything is bought with them. A workspace is a wall: stored results of
 * another one are not. While the store is away nothing is said against them: the submit waits for it.
 */
export async function lookAtFiles(
  { store, files }: Pick<ActivityDeps, 'store' | 'files'>,
  named: readonly NamedFile[],
  workspace = DEFAULT_WORKSPACE,
): Promise<{ errors: FieldError[]; bytes: number }> {
  const limit = pLimit(AT_ONCE);
  const own = `${safeKey([workspace])}/`;
  const sizes = await Promise.all(
    named.map(({ reference }) =>
      limit(async (): Promise<number | undefined> => {
        const key = files.keyOf(reference);
        if (key === undefined || (contentNamed(reference) === undefined && !key.startsWith(own)))
          return undefined;
        try {
          return (await store.stat(key))?.bytes;
        } catch (error) {
          if (error instanceof OutputStoreFailed) return 0;
          throw error;
        }
      }),
    ),
  );
  const message = `is not in ${store.place}; a client that puts files there needs the worker's DARKROOM_OUTPUTS`;
  return {
    errors: named
      .filter((_, index) => sizes[index] === undefined)
      .slice(0, MOST_ERRORS)
      .map(({ path }) => ({ path, message })),
    bytes: sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0),
  };
}
