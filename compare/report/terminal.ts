import { formatTable } from '../../src/terminal/table.ts';
import type { LevelName } from '../contest/levels.ts';
import { tableOf } from './columns.ts';
import type { Results, Scores } from './results.ts';

/** A run for people: a table a level. */
export function forTerminal({ seed, orders, levels, probe }: Results): string {
  const tables = Object.entries(levels) as [LevelName, Scores][]; // no level is there without its result
  const lost = Object.entries(probe).map(
    ([name, { oneLost, allLost, idempotencyKey }]) =>
      `${name} ${oneLost} and ${allLost}${idempotencyKey ? ', with an idempotency key' : ''}`,
  );
  return [
    `seed ${seed}, ${orders} orders`,
    `POSTs taken when one answer is lost, and when all are: ${lost.join('; ')}`,
    ...tables.map(([level, scores]) => {
      const { head, rows } = tableOf([scores]);
      return `${level}\n${formatTable(head, rows)}`;
    }),
    '',
  ].join('\n\n');
}
