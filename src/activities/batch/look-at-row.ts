import { NO_USAGE, plainUsage } from '../../api/records/usage.ts';
import type { RowLook, RowToLookAt } from '../../contract/batch.ts';
import { GET_TIMEOUT } from '../../contract/limits.ts';
import { billBelow } from '../../temporal/bill/bill-below.ts';
import { type BilledTask, usageOf } from '../../temporal/bill/run-bill.ts';
import { readRow } from '../../temporal/read-row.ts';
import type { ActivityDeps } from '../deps.ts';
import { goesOn } from '../goes-on.ts';
import { endedBefore } from '../parents/ended-before.ts';
import { stillRunning } from '../parents/still-running.ts';

type Deps = Pick<ActivityDeps, 'api' | 'temporal' | 'workspaces'>;

/** So many are asked about at the same time. */
const AT_ONCE = 20;

/**
 * What there is of a row's pipeline. It never waits, so it holds no slot.
 *
 * @throws STILL_RUNNING where `wait` is set and it runs: Temporal looks again, later and later
 */
export async function lookAtRow(deps: Deps, { wait, ...row }: RowToLookAt): Promise<RowLook> {
  const found = await readRow(deps.temporal, row);
  if (found.kind === 'running' && wait) throw stillRunning(row.workflowId);
  if (found.kind !== 'ended') return found;
  const { isCompleted, told, run } = found;
  const { usage, charged = NO_USAGE } = told;
  const closedAt = run.closeTime?.getTime();
  return {
    kind: 'ended',
    isCompleted,
    usage: usage ?? usageOf(await boughtBelow(deps, row.workflowId)),
    charged,
    startedAt: run.startTime.getTime(),
    ...(await endedBefore(deps.temporal, { status: run.status.name, closedAt })),
  };
}

/** What there is of a page's rows, in their order. */
export async function surveyRows(deps: Deps, rows: readonly Omit<RowToLookAt, 'wait'>[]): Promise<RowLook[]> {
  const found: RowLook[] = [];
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    const some = rows.slice(at, at + AT_ONCE);
    found.push(...(await Promise.all(some.map((row) => lookAtRow(deps, { ...row, wait: false })))));
    goesOn();
  }
  return found;
}

/** What a row has bought that could not tell it. What its generations have not told the end of, its record does. */
async function boughtBelow({ api, temporal, workspaces }: Deps, workflowId: string): Promise<BilledTask[]> {
  const bill = await billBelow(temporal, workflowId, goesOn);
  const priced: BilledTask[] = [];
  for (const task of bill) {
    const access = task.outcome === undefined ? workspaces.get(task.workspace) : undefined;
    const answer = access && (await api.getGeneration(task.taskId, access, GET_TIMEOUT));
    priced.push(answer?.kind === 'record' ? { ...task, usage: plainUsage(answer.record.usage) } : task);
    goesOn();
  }
  return priced;
}
