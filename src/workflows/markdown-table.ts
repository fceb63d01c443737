/** Between two columns: the Temporal Web UI sets them without any room, and trims blanks. */
const GAP = '&ensp;';

/** A table for Current Details. Cells may hold Markdown, and no `|`. */
export function markdownTable(head: readonly string[], rows: readonly string[]): string {
  return [markdownRow(head), `|${head.map(() => '---').join('|')}|`, ...rows].join('\n');
}

export function markdownRow(cells: readonly string[]): string {
  const last = cells.length - 1;
  return `|${cells.map((cell, index) => ` ${cell}${index === last ? '' : GAP} |`).join('')}`;
}
