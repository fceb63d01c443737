import { Context } from '@temporalio/activity';
import { NO_USAGE, usageOf } from '../../api/records/usage.ts';
import { AFTER_UNTOLD_MEMO, type RowLook, type RowToLookAt } from '../../contract/batch.ts';
import type { Ask } from '../../temporal/bill/bill-below.ts';
import { readRow } from '../../temporal/read-row.ts';
import type { ActivityDeps } from '../deps.ts';
import { boughtBelow } from '../parents/bought-below.ts';
import { endedBefore } from '../parents/ended-before.ts';
import { someAtOnce } from '../parents/some-at-once.ts';
import { stillRunning } from '../parents/still-running.ts';
import { toldUntil } from '../parents/told-until.ts';

type Deps = Pick<ActivityDeps, 'api' | 'temporal' | 'workspaces'>;

/**
 * What there is of a row's pipeline. It never waits, so it holds no slot.
 *
 * @throws STILL_RUNNING where `wait` is set and it runs, or a generation does that it has left, and PRICE_UNKNOWN where
 *   the API does not tell what that has cost: Temporal looks again, later and later
 */
export async function lookAtRow(deps: Deps, row: RowToLookAt): Promise<RowLook> {
  return await look(deps, row, { ask: someAtOnce(), told: () => toldByEarlier(deps) });
}

/** What there is of a page's rows, in their order. */
export async function surveyRows(deps: Deps, rows: readonly Omit<RowToLookAt, 'wait'>[]): Promise<RowLook[]> {
  const ask = someAtOnce();
  let toldOnce: Promise<number> | undefined;
  const told = (): Promise<number> => (toldOnce ??= toldByEarlier(deps));
  return await Promise.all(rows.map((row) => look(deps, { ...row, wait: false }, { ask, told })));
}

async function look(
  deps: Deps,
  { wait, isAgain, ...row }: RowToLookAt,
  { ask, told }: { ask: Ask; told: () => Promise<number> },
): Promise<RowLook> {
  const found = await ask(() => readRow(deps.temporal, row));
  if (found.kind === 'running' && wait) throw stillRunning(row.workflowId);
  if (found.kind !== 'ended') return found;
  const { isCompleted, run } = found;
  const { usage, charged = NO_USAGE } = found.told;
  const startedAt = run.startTime.getTime();
  const closedAt = run.closeTime?.getTime();
  const before = await ask(() => endedBefore(deps.temporal, { status: run.status.name, closedAt }));
  const ended = { kind: 'ended', isCompleted, ...before } as const;
  if (usage !== undefined && run.memo?.[AFTER_UNTOLD_MEMO] !== true)
    return { ...ended, usage, charged, startedAt };
  const { tasks, unsure } = await boughtBelow(deps, row.workflowId, { since: closedAt ?? 0, ask });
  if (wait && unsure !== undefined) throw unsure;
  const from = isAgain === true ? await told() : -Infinity;
  const untold = tasks.filter(({ at }) => at > from);
  return {
    ...ended,
    usage: usage ?? usageOf(tasks),
    charged: usageOf(untold),
    // What it has left running may have bought since.
    startedAt: Math.max(startedAt, ...untold.map(({ at }) => at)),
    ...(usage === undefined ? { isUntold: true } : {}),
    ...(unsure === undefined ? {} : { isOpen: true }),
  };
}

/** Until when earlier runs of the batch that asks have told what its rows were charged. */
async function toldByEarlier({ temporal }: Deps): Promise<number> {
  const { workflowId, runId } = Context.current().info.workflowExecution ?? { workflowId: '', runId: '' };
  return (await toldUntil(temporal, { workflowId, runId })) ?? -Infinity;
}
