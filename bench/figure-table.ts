import { formatTable } from '../src/terminal/table.ts';
import type { Figure } from './measure.ts';

/** Figures for people: value, spread, target and whether it was met, baseline. */
export function figureTable(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, value, unit, target, rounds, spread, baseline }) => [
    name,
    `${value} ${unit}`,
    rounds === 1 ? 'once' : `${spread[0]} to ${spread[1]}, ${rounds} rounds`,
    target === null ? '' : `${target} ${isMet(value, target) ? 'met' : 'MISSED'}`,
    baseline,
  ]);
  return formatTable(['figure', 'median', 'spread', 'target', 'baseline'], rows);
}

/** Targets are `>= number`, `<= number` or `= number`. */
function isMet(value: number, target: string): boolean {
  const [relation, limit] = target.split(' ');
  if (relation === '=') return value === Number(limit);
  return relation === '>=' ? value >= Number(limit) : value <= Number(limit);
}
