import { jsonBytes } from '../../contract/json-bytes.ts';

/** Splits a list into pages of at most so many bytes each; a single larger item has a page of its own. */
export function pagesOf<Item>(items: readonly Item[], maxBytes: number): Item[][] {
  const pages: Item[][] = [];
  let room = 0;
  for (const item of items) {
    const size = jsonBytes(item) + 1; // the comma
    if (size > room) {
      pages.push([]);
      room = maxBytes;
    }
    pages.at(-1)?.push(item);
    room -= size;
  }
  return pages;
}
