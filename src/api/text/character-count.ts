/** Length of a text in characters (code points), as JSON Schema counts them; an emoji is one or a few, not bytes. */
export function characterCount(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}
