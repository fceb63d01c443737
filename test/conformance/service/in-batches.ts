/** Works on a list so many at a time, and gives the results in order. */
export async function inBatches<T, R>(
  list: readonly T[],
  size: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < list.length; start += size) {
    results.push(...(await Promise.all(list.slice(start, start + size).map(work))));
  }
  return results;
}
