const encoder = new TextEncoder();

/** How many bytes a value has in a payload: as JSON in UTF-8. */
export function byteSize(value: unknown): number {
  return encoder.encode(JSON.stringify(value)).length;
}

/** Splits a list into pages of at most so many bytes each; a single larger item has a page of its own. */
export function pagesOf<Item>(items: readonly Item[], maxBytes: number): Item[][] {
  const pages: Item[][] = [];
  let room = 0;
  for (const item of items) {
    const size = byteSize(item) + 1; // the comma
    if (size > room) {
      pages.push([]);
      room = maxBytes;
    }
    pages.at(-1)?.push(item);
    room -= size;
  }
  return pages;
}
