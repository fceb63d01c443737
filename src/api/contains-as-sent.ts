/** Whether every field of `sent` is in `normalized` with an equal value. */
export function containsAsSent(normalized: unknown, sent: Record<string, unknown>): boolean {
  if (typeof normalized !== 'object' || normalized === null) return false;
  const fields = normalized as Record<string, unknown>; // an object, checked above
  return Object.entries(sent).every(
    ([name, value]) => value === undefined || (Object.hasOwn(fields, name) && equal(fields[name], value)),
  );
}

function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = Object.entries(a);
  const right = b as Record<string, unknown>; // an object, checked above
  return (
    left.length === Object.keys(right).length &&
    left.every(([name, value]) => Object.hasOwn(right, name) && equal(value, right[name]))
  );
}
