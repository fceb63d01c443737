/** A percent-encoded part of a URL, as it was meant; undefined where that cannot be told. */
export function decoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
