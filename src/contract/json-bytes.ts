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
