/** Whether lists and objects lie in each other more than `most` levels deep. Works level by level, not recursively. */
export function isNestedDeeper(value: unknown, most: number): boolean {
  let level = [value];
  for (let depth = 0; depth <= most; depth += 1) {
    const holding = level.filter((one) => typeof one === 'object' && one !== null);
    if (holding.length === 0) return false;
    level = holding.flatMap((one) => Object.values(one));
  }
  return true;
}
