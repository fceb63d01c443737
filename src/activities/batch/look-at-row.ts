import { Context } from '@temporalio/activity';
import { NO_USAGE, usageOf } from '../../api/records/usage.ts';
import { AFTER_ANOTHER_MEMO, type RowLook, type RowToLookAt } from '../../contract/batch.ts';
import type { Ask } from '../../temporal/bill/bill-below.ts';
import { type RowRun, readRow } from '../../temporal/read-row.ts';
import type { ActivityDeps } from '../deps.ts';
import { boughtBelow } from '../parents/bought-below.ts';
import { endedBefore } from '../parents/ended-before.ts';
import { stillRunning } from '../parents/still-running.ts';
import { toldUntil } from '../parents/told-until.ts';
import { someAtOnce } from '../some-at-once.ts';

type Deps = Pick<ActivityDeps, 'api' | 'temporal' | 'workspaces'>;

/**
 * What there is of a row's pipeline. It never waits, so it holds no slot.
 *
 * @throws STILL_RUNNING where `wait` is set and it runs, or a generation does that it has left, and PRICE_UNKNOWN where
 *   the API does not tell what that has cost: Temporal looks again, later and later
 */
export async function lookAtRow(deps: Deps, { wait, isAgain, ...row }: RowToLookAt): Promise<RowLook> {
  const ask = someAtOnce();
  const found = await ask(() => readRow(deps.temporal, row));
  if (found.kind === 'running' && wait) throw stillRunning(row.workflowId);
  if (found.kind !== 'ended') return found;
  const end = await endOf(deps, found, ask);
  if (end.isOpen !== true) return end;
  const { usage } = found.told;
  const { isOpen: _, ...ended } = end;
  const since = found.run.closeTime?.getTime() ?? 0;
  const { tasks, unsure } = await boughtBelow(deps, row.workflowId, { since, ask });
  if (wait && unsure !== undefined) throw unsure;
  const from = isAgain === true ? await toldByEarlier(deps) : -Infinity;
  const untold = tasks.filter(({ at }) => at > from);
  return {
    ...ended,
    usage: usage ?? usageOf(tasks),
    charged: usageOf(untold),
    // What it has left running may have bought since.
    startedAt: Math.max(end.startedAt, ...untold.map(({ at }) => at)),
    ...(unsure === undefined ? {} : { isOpen: true }),
  };
}

/**
 * What there is of a page's rows, in their order. Where a row's end does not tell what it was charged it is open: a look
 * at it finds that out, by many questions that may be refused, and is repeated by itself.
 */
export async function surveyRows(
  { temporal }: Pick<Deps, 'temporal'>,
  rows: readonly Pick<RowToLookAt, 'workflowId' | 'digest'>[],
): Promise<RowLook[]> {
  const ask = someAtOnce();
  const looks = rows.map(async (row) => {
    const found = await ask(() => readRow(temporal, row));
    return found.kind === 'ended' ? await endOf({ temporal }, found, ask) : found;
  });
  return await Promise.all(looks);
}

type Ended<Look> = Extract<Look, { kind: 'ended' }>;

/** How a row has ended, by what its last run tells; where that is not all, it is open. */
async function endOf(
  { temporal }: Pick<Deps, 'temporal'>,
  { isCompleted, told: { usage, charged = NO_USAGE }, run }: Ended<RowRun>,
  ask: Ask,
): Promise<Ended<RowLook>> {
  const closedAt = run.closeTime?.getTime();
  const before = await ask(() => endedBefore(temporal, { status: run.status.name, closedAt }));
  // One that was Reset may charge again what a batch has told of the run that it was made from.
  const isFirst = run.memo?.[AFTER_ANOTHER_MEMO] !== true && firstRunOf(run) === run.runId;
  const isWhole = usage !== undefined && isFirst;
  return {
    kind: 'ended',
    isCompleted,
    ...before,
    usage: usage ?? NO_USAGE,
    charged: isWhole ? charged : NO_USAGE,
    startedAt: run.startTime.getTime(),
    ...(isWhole ? {} : { isOpen: true }),
  };
}

function firstRunOf({ raw }: Ended<RowRun>['run']): string | null | undefined {
  return raw.workflowExecutionInfo?.firstRunId;
}

/** Until when earlier runs of the batch that asks have told what its rows were charged. */
async function toldByEarlier({ temporal }: Deps): Promise<number> {
  const { workflowId, runId } = Context.current().info.workflowExecution ?? { workflowId: '', runId: '' };
  return (await toldUntil(temporal, { workflowId, runId })) ?? -Infinity;
}
