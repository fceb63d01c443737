/** Levels of lists and objects in each other; without bounds, all of it is kept. */
export interface JsonBounds {
  depth: number;
  /** Elements of lists and fields of objects, all together. */
  values: number;
}

/** Stands in the place of a list or an object that is beyond the bounds. */
const LEFT_OUT = '(left out: too deep or too large)';

/**
 * Passes every text of a JSON value, names of fields included, through `clean`, in place. A list or an object that lies
 * too deep, or has no room any more, is left out as a whole; what lies higher comes first, so that what is read of a
 * record stays. Works level by level, not recursively: a stranger decides how deep a value is.
 */
export function cleanJson(
  value: unknown,
  clean: (text: string) => string,
  bounds: JsonBounds = { depth: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY },
): unknown {
  const root: [unknown] = [value];
  let level: object[] = [root];
  let room = bounds.values;
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: object[] = [];
    const cleaned = (inner: unknown): unknown => {
      if (typeof inner === 'string') return clean(inner);
      if (typeof inner !== 'object' || inner === null) return inner;
      const size = Array.isArray(inner) ? inner.length : Object.keys(inner).length;
      if (depth >= bounds.depth || size > room) return LEFT_OUT;
      room -= size;
      next.push(inner);
      return inner;
    };
    for (const holder of level) cleanInside(holder, clean, cleaned);
    level = next;
  }
  return root[0];
}

function cleanInside(
  holder: object,
  clean: (text: string) => string,
  cleaned: (inner: unknown) => unknown,
): void {
  if (Array.isArray(holder)) {
    for (const [index, inner] of holder.entries()) holder[index] = cleaned(inner);
    return;
  }
  for (const [name, inner] of Object.entries(holder)) {
    const kept = clean(name);
    if (kept !== name) Reflect.deleteProperty(holder, name);
    // Defined, not assigned: `__proto__` is a name like any other in JSON.
    const isChanged = kept !== name || typeof inner === 'string' || typeof inner === 'object';
    if (isChanged)
      Object.defineProperty(holder, kept, {
        value: cleaned(inner),
        writable: true,
        enumerable: true,
        configurable: true,
      });
  }
}
