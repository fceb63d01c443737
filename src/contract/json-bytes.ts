/** How long a value is as JSON in UTF-8: what Temporal and gRPC count. Plain code, because workflows use it too. */
export function jsonBytes(value: unknown): number {
  return utf8Bytes(JSON.stringify(value) ?? '');
}

/** How long a text is in UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x80) bytes += 1;
    // Each half of a pair makes two of its four bytes.
    if (unit >= 0x800 && (unit < 0xd800 || unit > 0xdfff)) bytes += 1;
  }
  return bytes;
}

/** The same, in their order, in parcels that payloads can hold: each with so many at most, and so many bytes of them. */
export function inParcels<T>(all: readonly T[], most: { count: number; bytes: number }): T[][] {
  const parcels: T[][] = [];
  let bytes = Infinity;
  for (const one of all) {
    const own = jsonBytes(one);
    if (bytes + own > most.bytes || (parcels.at(-1)?.length ?? 0) >= most.count) {
      parcels.push([]);
      bytes = 0;
    }
    parcels.at(-1)?.push(one);
    bytes += own;
  }
  return parcels;
}
