import { randomUUID } from 'node:crypto';

export type WorkflowKind = 'generation' | 'pipeline';

/** Temporal takes ids of up to 1,000 bytes; a pipeline's steps put their names after its own. */
const LONGEST_KEY = 700;

/**
 * The workflow id of a key, by convention `generation/<key>` or `pipeline/<key>`; a random key when there is
 * none. A whole workflow id is taken as it is.
 *
 * @throws RangeError when the key is empty or too long
 */
export function workflowIdOf(kind: WorkflowKind, key: string = randomUUID()): string {
  const bare = key.startsWith(`${kind}/`) ? key.slice(kind.length + 1) : key;
  const bytes = Buffer.byteLength(bare);
  if (bytes === 0 || bytes > LONGEST_KEY) {
    throw new RangeError(`a key has 1 to ${LONGEST_KEY} bytes; this one has ${bytes}`);
  }
  return `${kind}/${bare}`;
}
