import { expect, it } from 'vitest';
import { peek } from '../../../src/outputs/download/peek.ts';

/** Its text in three pieces, and whether it was closed. */
function sourceOf(): { source: AsyncGenerator<Uint8Array>; isClosed: () => boolean } {
  let isClosed = false;
  const source = (async function* () {
    try {
      for (const text of ['ab', 'cd', 'e']) yield Buffer.from(text);
    } finally {
      isClosed = true;
    }
  })();
  return { source, isClosed: () => isClosed };
}

it.each([
  [0, 'ab'],
  [1, 'ab'],
  [3, 'abcd'],
  [9, 'abcde'],
])('%i first bytes are looked at, and none is lost', async (count, seen) => {
  const { source, isClosed } = sourceOf();
  const { head, isAll, whole } = await peek(source, count);
  expect(isAll).toBe(count === 9);
  expect(Buffer.from(head).toString()).toBe(count === 0 ? '' : seen);
  let text = '';
  for await (const chunk of whole) text += Buffer.from(chunk).toString();
  expect([text, isClosed()]).toEqual(['abcde', true]);
});

it('whoever reads no further closes the stream', async () => {
  const { source, isClosed } = sourceOf();
  const { whole } = await peek(source, 1);
  for await (const chunk of whole) if (chunk.byteLength > 0) break;
  expect(isClosed()).toBe(true);
});
