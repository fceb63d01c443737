import Table from 'cli-table3';

/** A table for people: bold-free, so that it reads the same in a file; columns as wide as they need to be. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  widths?: number[],
): string {
  const table = new Table({
    head: [...head],
    style: { head: [], border: [], compact: true },
    ...(widths === undefined ? {} : { colWidths: widths, wordWrap: true }),
  });
  table.push(...rows.map((row) => [...row]));
  return table.toString();
}
