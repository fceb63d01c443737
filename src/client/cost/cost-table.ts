import { type BilledTask, isOpen } from '../../temporal/bill/run-bill.ts';

/** What costs can be grouped by: `model`, `workspace`, `day` (UTC), or `tag:<name>`. */
export type CostBy = 'model' | 'workspace' | 'day' | `tag:${string}`;

export interface CostSums {
  tasks: number;
  /** What the tasks were charged, and what of it was given back. */
  credits: number;
  refunded: number;
}

/** One group; what it is grouped by stands in fields of those names, null where the tasks have no such tag. */
export type CostRow = Partial<Record<CostBy, string | null>> & CostSums;

export interface CostTable {
  rows: CostRow[];
  total: CostSums;
  /** Those of the total whose end no run has told. */
  open: CostSums;
}

/** Costs by group; the dearest first, days in their order. */
export function costTable(tasks: readonly BilledTask[], by: readonly CostBy[]): CostTable {
  const groups = Map.groupBy(tasks, (task) => JSON.stringify(by.map((one) => valueOf(task, one))));
  const rows = [...groups].map(([key, some]): CostRow => {
    const values = JSON.parse(key) as (string | null)[]; // written above
    return { ...Object.fromEntries(by.map((one, index) => [one, values[index] ?? null])), ...sumsOf(some) };
  });
  const day = (row: CostRow): string => row.day ?? '';
  rows.sort((a, b) => (day(a) === day(b) ? b.credits - a.credits : day(a) < day(b) ? -1 : 1));
  return { rows, total: sumsOf(tasks), open: sumsOf(tasks.filter(isOpen)) };
}

function valueOf(task: BilledTask, by: CostBy): string | null {
  if (by === 'day') return new Date(task.at).toISOString().slice(0, 10);
  if (by === 'model' || by === 'workspace') return task[by];
  const name = by.slice('tag:'.length);
  return Object.hasOwn(task.tags, name) ? (task.tags[name] ?? null) : null;
}

function sumsOf(tasks: readonly BilledTask[]): CostSums {
  const sum = (of: 'credits' | 'refunded'): number => tasks.reduce((all, task) => all + task[of], 0);
  return { tasks: tasks.length, credits: sum('credits'), refunded: sum('refunded') };
}
