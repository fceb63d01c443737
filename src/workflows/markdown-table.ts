/**
 * Between two columns: the Temporal Web UI sets them without any room, trims blanks, and takes no entities. A blank of
 * half an em, and a word joiner that keeps it from being trimmed.
 */
const GAP = '\u2002\u2060';

/** A table for Current Details. Cells may hold Markdown, and no `|`. */
export function markdownTable(head: readonly string[], rows: readonly string[]): string {
  return [markdownRow(head), `|${head.map(() => '---').join('|')}|`, ...rows].join('\n');
}

export function markdownRow(cells: readonly string[]): string {
  const last = cells.length - 1;
  return `|${cells.map((cell, index) => ` ${cell}${index === last ? '' : GAP} |`).join('')}`;
}
