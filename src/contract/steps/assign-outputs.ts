/**
 * Which output each item of a fan-out takes. An item that an earlier run has started keeps the output that it was
 * started for, wherever that stands now: what was bought is neither bought again nor mistaken for something else. The
 * other outputs get the other indexes, both in their order.
 *
 * @param outputs by what they are, in order
 * @param started what items of earlier runs were started for, by index
 * @returns by index, the position of the output that it takes; null: no output is left for it
 */
export function assignOutputs(
  outputs: readonly string[],
  started: ReadonlyMap<number, string>,
): (number | null)[] {
  const positions = new Map(outputs.map((output, position) => [output, position]));
  const assigned = new Map<number, number>();
  for (const [index, output] of started) {
    const position = positions.get(output);
    if (position === undefined) continue;
    assigned.set(index, position);
    positions.delete(output);
  }
  let index = 0;
  for (const position of positions.values()) {
    while (assigned.has(index)) index += 1;
    assigned.set(index, position);
  }
  const length = Math.max(-1, ...assigned.keys()) + 1;
  return Array.from({ length }, (_, at) => assigned.get(at) ?? null);
}
