import type { Figure } from './measure.ts';

/** Figures for people: value, spread, target and whether it was met, baseline. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, unit, target, rounds, spread, baseline }) => [
    name,
    `${value} ${unit}`,
    `${spread[0]} to ${spread[1]} in ${rounds} rounds`,
    target === null ? '' : `${target} ${isMet(value, target) ? 'met' : 'MISSED'}`,
    baseline,
  ]);
  const all = [['figure', 'median', 'spread', 'target', 'baseline'], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Targets are `>= number` or `<= number`. */
function isMet(value: number, target: string): boolean {
  const limit = Number(target.slice(2));
  return target.startsWith('>=') ? value >= limit : value <= limit;
}
