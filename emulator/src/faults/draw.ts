/**
 * A number in [0, 1) that depends on the seed and the words alone. Draws by name instead of by turn make a
 * storm repeatable: the third submit of one workflow meets the same fault whatever else runs beside it.
 */
export function draw(seed: number, ...words: readonly (string | number)[]): number {
  let state = (0x811c9dc5 ^ seed) >>> 0;
  const text = words.join('\u0000');
  for (let index = 0; index < text.length; index += 1) {
    state = Math.imul(state ^ text.charCodeAt(index), 0x01000193); // FNV-1a
  }
  state ^= state >>> 16; // the finalizer of murmur3: FNV alone leaves the last characters in the low bits
  state = Math.imul(state, 0x85ebca6b);
  state ^= state >>> 13;
  state = Math.imul(state, 0xc2b2ae35);
  state ^= state >>> 16;
  return (state >>> 0) / 2 ** 32;
}
