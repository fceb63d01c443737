import Table from 'cli-table3';
import stringWidth from 'string-width';
import { terminalColumns } from './terminal-columns.ts';

/** What a cell has besides its text: a space at both sides. */
const PADDING = 2;

/**
 * A table for people: bold-free, so that it reads the same in a file; columns as wide as they need to be. Where the
 * terminal is narrower, texts wrap between their words; where that is not enough, each row becomes a block of lines,
 * so that ids and paths stay whole and can be copied.
 *
 * @param room columns of a line; undefined where nothing limits it
 * @param narrow how a row reads where there is no room for a table
 */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  room: number | undefined = terminalColumns(),
  narrow: (row: readonly string[]) => string = (row) => block(head, row),
): string {
  const widths = fit(head, rows, room ?? Infinity);
  if (widths === undefined) return rows.map(narrow).join('\n');
  const table = new Table({
    head: [...head],
    style: { head: [], border: [], compact: true },
    colWidths: widths,
    wordWrap: true,
  });
  table.push(...rows.map((row) => [...row]));
  return table.toString();
}

/** Columns that fit: the widest ones give way, down to their longest words. Undefined where even that is too wide. */
function fit(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  room: number,
): number[] | undefined {
  const cells = head.map((title, column) => [title, ...rows.map((row) => row[column] ?? '')]);
  const widths = cells.map((texts) => longest(texts.flatMap((text) => text.split('\n'))));
  const least = cells.map((texts) => longest(texts.flatMap((text) => text.split(/\s+/))));
  const borders = head.length + 1;
  const total = (all: readonly number[]): number => all.reduce((sum, width) => sum + width, borders);
  if (total(least) > room) return undefined;
  while (total(widths) > room) {
    const widest = Math.max(...widths.filter((width, column) => width > (least[column] ?? 0)));
    const giving = widths.findIndex((width, column) => width === widest && width > (least[column] ?? 0));
    widths[giving] = widest - 1;
  }
  return widths;
}

function longest(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => stringWidth(text))) + PADDING;
}

/** The first cell, and below it a line for each other one that has something. */
function block(head: readonly string[], [first = '', ...others]: readonly string[]): string {
  const names = Math.max(...head.slice(1).map((name) => name.length));
  const lines = others.flatMap((text, index) =>
    text === '' ? [] : `  ${(head[index + 1] ?? '').padEnd(names)}  ${text.replaceAll('\n', ', ')}`,
  );
  return [`${head[0] ?? ''} ${first}`, ...lines].join('\n');
}
