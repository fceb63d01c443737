/** The names of a table's rows, where it is a literal: it has no other ones than its type says. */
export function keysOf<const Table extends object>(table: Table): readonly (keyof Table)[] {
  return Object.keys(table) as (keyof Table)[]; // see above
}
