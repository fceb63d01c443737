import { Pieces } from '../../api/client/pieces.ts';

/**
 * Reads a stream's first bytes without losing them.
 *
 * @param count how many bytes to wait for; fewer when the stream is shorter
 * @returns `head` with at least `count` bytes where there are that many; `isAll`: there are no others; and `whole`, the
 *   stream from its beginning
 */
export async function peek(
  source: AsyncIterable<Uint8Array>,
  count: number,
): Promise<{ head: Uint8Array; isAll: boolean; whole: AsyncIterable<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]();
  const seen = new Pieces();
  let isAll = false;
  while (seen.size < count && !isAll) {
    const next = await iterator.next();
    if (next.done === true) isAll = true;
    else seen.add(next.value);
  }
  const head = seen.take();
  async function* whole(): AsyncGenerator<Uint8Array> {
    try {
      yield head;
      yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      await iterator.return?.();
    }
  }
  return { head, isAll, whole: whole() };
}
