/**
 * Reads a stream's first bytes without losing them.
 *
 * @param count how many bytes to wait for; fewer when the stream is shorter
 * @returns `head` with at least `count` bytes where there are that many, and `whole`, the stream from its beginning
 */
export async function peek(
  source: AsyncIterable<Uint8Array>,
  count: number,
): Promise<{ head: Uint8Array; whole: AsyncIterable<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]();
  const seen: Uint8Array[] = [];
  let size = 0;
  while (size < count) {
    const next = await iterator.next();
    if (next.done === true) break;
    seen.push(next.value);
    size += next.value.byteLength;
  }
  async function* whole(): AsyncGenerator<Uint8Array> {
    try {
      yield* seen;
      yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      await iterator.return?.();
    }
  }
  return { head: Buffer.concat(seen), whole: whole() };
}
