import { endedInVain } from '../../api/records/ended-in-vain.ts';
import type { PurchaseFound, PurchaseToAudit } from '../../contract/entities/account.ts';
import { GET_TIMEOUT } from '../../contract/limits.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { readHistory } from '../../temporal/history.ts';
import { runsBelow } from '../../temporal/visibility-query.ts';
import type { ActivityDeps } from '../deps.ts';
import { endOfSubmit } from '../generation/end-of-submit.ts';
import { goesOn } from '../goes-on.ts';

type Deps = Pick<ActivityDeps, 'api' | 'workspaces' | 'temporal' | 'log'>;

/** A long history takes longer to read than Temporal waits for a heartbeat (milliseconds). */
const BEAT = 5_000;

/**
 * What there is of open purchases of which nobody has told the end: the run was terminated, or its worker was killed. A
 * task is asked for at the API, a submit is looked up in its run's history. Changes nothing.
 *
 * @param purchases one that cannot be read now holds up no other one, and stays open
 */
export async function auditPurchases(
  deps: Deps,
  purchases: readonly PurchaseToAudit[],
): Promise<PurchaseFound[]> {
  const beat = setInterval(goesOn, BEAT);
  try {
    return await Promise.all(
      purchases.map((purchase) =>
        auditPurchase(deps, purchase).catch((error: unknown): PurchaseFound => {
          deps.log.warn({ err: error, ...purchase }, 'what is reserved for a purchase cannot be looked up');
          return { kind: 'open' };
        }),
      ),
    );
  } finally {
    clearInterval(beat);
  }
}

async function auditPurchase(deps: Deps, purchase: PurchaseToAudit): Promise<PurchaseFound> {
  if (purchase.taskId !== null) return await auditTask(deps, purchase.workspace, purchase.taskId);
  const { workflowId, runId, activityId, workspace } = purchase;
  const events = await readHistory(deps.temporal, workflowId, runId);
  // With its run's history all that could tell of it is gone.
  if (events === undefined) return { kind: 'open' };
  const end = endOfSubmit(events, activityId);
  if (end.kind === 'bought') {
    const { taskId } = end;
    return { ...(await auditTask(deps, workspace, taskId)), taskId };
  }
  if (end.kind === 'unbought') return end;
  if (end.kind === 'pending') {
    const run = await describeRun(deps.temporal, workflowId, runId);
    const pending = run?.raw.pendingActivities?.find((activity) => activity.activityId === activityId);
    // Scheduled and never started, in a run that is over: nobody takes it any more.
    const isOver = run?.closeTime !== undefined && pending !== undefined && (pending.attempt ?? 1) <= 1;
    if (isOver && pending.lastStartedTime == null) return { kind: 'unbought' };
  }
  return { kind: 'open' };
}

async function auditTask(
  { api, workspaces }: Deps,
  workspace: string,
  taskId: string,
): Promise<Exclude<PurchaseFound, { kind: 'unbought' }>> {
  const access = workspaces.get(workspace);
  if (access === undefined) return { kind: 'open' };
  const answer = await api.getGeneration(taskId, access, GET_TIMEOUT);
  if (answer.kind === 'unavailable') return { kind: 'open' };
  // It was there, and was paid for as far as anybody knows.
  if (answer.kind === 'not-found') return { kind: 'settled', credits: null };
  const { status, usage } = answer.record;
  const hasEnded = status === 'COMPLETED' || endedInVain(status);
  return hasEnded ? { kind: 'settled', credits: usage.total } : { kind: 'open', credits: usage.total };
}

/** Whether the server has any run of a workflow id, or of one below it: a step may outlive its pipeline, and buy again. */
export async function hasRuns(
  { temporal }: Pick<ActivityDeps, 'temporal'>,
  workflowId: string,
): Promise<boolean> {
  if ((await describeRun(temporal, workflowId)) !== undefined) return true;
  for await (const run of temporal.workflow.list({ query: runsBelow(workflowId) }))
    if (run.workflowId.startsWith(`${workflowId}/`)) return true;
  return false;
}
