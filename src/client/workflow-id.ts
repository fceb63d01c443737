import { randomUUID } from 'node:crypto';
import { MAX_KEY_BYTES } from '../contract/limits.ts';

/** The workflows that callers start, by their types; the ids of each begin with it. */
export type WorkflowKind = 'generation' | 'pipeline' | 'batch';

/**
 * The workflow id of a key, by convention `<kind>/<key>`; a random key when there is
 * none. A whole workflow id is taken as it is.
 *
 * @throws RangeError when the key is empty or has more than 200 bytes
 */
export function workflowIdOf(kind: WorkflowKind, key: string = randomUUID()): string {
  const bare = key.startsWith(`${kind}/`) ? key.slice(kind.length + 1) : key;
  const bytes = Buffer.byteLength(bare);
  if (bytes === 0 || bytes > MAX_KEY_BYTES) {
    throw new RangeError(`a key has 1 to ${MAX_KEY_BYTES} bytes in UTF-8; this one has ${bytes}`);
  }
  return `${kind}/${bare}`;
}
