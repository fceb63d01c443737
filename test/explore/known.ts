import type { Account } from './rule.ts';

/** A violation that stands in today's code, and the shape that would make it impossible. */
export interface Known {
  /** Cells, with `*` for any text. */
  cells: readonly string[];
  /** Which sentences of the rule are broken there: nothing else is excused. */
  breaks: readonly (keyof Account)[];
  /** What goes wrong. */
  why: string;
  /** What is wanted instead. */
  shape: string;
}

/** The violations that are known. Nothing else is excused, and what does not happen any more leaves the table. */
export const KNOWN: readonly Known[] = [];

/** The known violation that a finding at a cell is. */
export function knownAt(cell: string, finding: string): Known | undefined {
  return KNOWN.find(
    ({ cells, breaks }) =>
      breaks.some((sentence) => finding.startsWith(`${sentence}: `)) &&
      cells.some((pattern) => matches(pattern, cell)),
  );
}

/** Whether a text is as a pattern says, in which `*` stands for any text. */
export function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}
