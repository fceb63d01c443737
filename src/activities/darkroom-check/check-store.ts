import { type Finding, failure, ok, warning } from '../../contract/finding.ts';
import { OutputStoreFailed } from '../../outputs/output-errors.ts';
import type { PublicUrl } from '../../outputs/public-outputs.ts';
import type { OutputStore } from '../../outputs/stores/output-store.ts';

/** Always the same file: nothing is left behind but it. */
const KEY = 'darkroom-check/file.txt';
const BYTES = Buffer.from('This file shows that the store can be written and read.\n');
const TIMEOUT = 5_000;

/** Writes a small file to the store, reads it, and fetches it where others do. */
export async function checkStore(store: OutputStore, publicUrl: PublicUrl): Promise<Finding[]> {
  try {
    const { uri } = await store.put(KEY, oneChunk(), { contentType: 'text/plain' });
    const read = await store.read(KEY, 0, BYTES.length);
    if (!BYTES.equals(read))
      return [
        failure(
          'store',
          `${store.place} gives other bytes than were stored.`,
          'Check the store, and what is between it and the workers.',
        ),
      ];
    const url = await publicUrl(uri);
    return [
      ok('store', `A file was written to ${store.place} and read.`),
      ...(url === undefined ? [] : [await checkPublic(url)]),
    ];
  } catch (error) {
    if (!(error instanceof OutputStoreFailed))
      return [failure('store', messageOf(error), 'Check DARKROOM_OUTPUTS.')];
    const { message, fix } = error;
    return [failure('store', `${message.replace(`; ${fix}`, '')}.`, `${fix}.`)];
  }
}

async function checkPublic(url: string): Promise<Finding> {
  const check = 'public outputs';
  const fix = 'Check DARKROOM_PUBLIC_OUTPUTS: it is the address at which others fetch stored files.';
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT) });
    const bytes = Buffer.from(await answer.arrayBuffer());
    return answer.ok && BYTES.equals(bytes)
      ? ok(check, 'The stored file was fetched from its public address.')
      : failure(
          check,
          `The public address of a stored file answers ${answer.status}, or with another file.`,
          fix,
        );
  } catch (error) {
    // It may be reachable from outside alone.
    return warning(
      check,
      `The public address of a stored file cannot be reached from the worker: ${messageOf(error)}`,
      fix,
    );
  }
}

async function* oneChunk(): AsyncGenerator<Uint8Array> {
  yield BYTES;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message;
}
