import { isRecord } from '../../api/json/is-record.ts';
import type { ProofToTell } from '../../contract/activities.ts';
import { submitProvenSignal } from '../../contract/messages.ts';
import { priceFacts } from '../../policy/prices/price-facts.ts';
import type { PriceFacts } from '../../policy/prices/price-table.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { isNotFound } from '../../temporal/grpc-status.ts';
import { readRequest } from '../../temporal/history.ts';
import type { ActivityDeps } from '../deps.ts';

/** What a task is that no run has taken, by its outcome. */
const UNUSED = {
  open: 'nobody uses its task',
  completed: 'nobody uses its task',
  failed: 'its task has failed',
  canceled: 'its task was canceled',
};

/** @param request which may not have been checked */
function factsOf({ model, input, templateId }: Record<string, unknown>): PriceFacts | undefined {
  if (typeof model !== 'string' || !isRecord(input)) return undefined;
  return priceFacts({ model, input, ...(typeof templateId === 'string' ? { templateId } : {}) });
}

interface TellDeps extends Pick<ActivityDeps, 'temporal' | 'metrics' | 'log'> {
  payers: Pick<ActivityDeps['payers'], 'found' | 'ended'>;
}

/**
 * Says that a submit which was given up as unknown has bought a task after all: to whoever reads the log, to who pays
 * for it, and to the run, where it is still open.
 *
 * @returns whether the run has taken it
 */
export async function tellProof(
  { temporal, metrics, log, payers }: TellDeps,
  { workspace, workflowId, firstRunId, model, paidBy = [], proof }: ProofToTell,
): Promise<{ taken: boolean }> {
  const latest = await describeRun(temporal, workflowId);
  const isOpen =
    latest !== undefined &&
    latest.closeTime === undefined &&
    latest.raw.workflowExecutionInfo?.firstRunId === firstRunId;
  let taken = false;
  if (isOpen) {
    try {
      await temporal.workflow.getHandle(workflowId, latest.runId).signal(submitProvenSignal, proof);
      taken = true;
    } catch (error) {
      // It has closed since.
      if (!isNotFound(error)) throw error;
    }
  }
  const { taskId, usage, outcome } = proof;
  const runId = latest?.runId ?? firstRunId;
  const request = await readRequest<unknown>(temporal, workflowId, runId).catch(() => undefined); // it may be deleted
  const facts = isRecord(request) ? factsOf(request) : undefined;
  const paid = { workspace, model, workflowId, taskId, credits: usage.total, paidBy, facts };
  if (outcome === undefined) payers.found(paid);
  else payers.ended(paid);
  const isFree = outcome !== undefined && usage.total === 0; // until it has ended, 0 is what is not known yet
  if (!isFree) metrics.lateProof(model);
  const what = usage.total > 0 ? 'charged' : 'accepted';
  const use = taken ? 'its run is told' : UNUSED[outcome ?? 'open'];
  log.warn(
    {
      workspace,
      workflowId,
      runId,
      model,
      taskId,
      credits: usage.total,
      ...(outcome === undefined ? {} : { outcome }),
    },
    `a submit that was given up as unknown was ${what} after all: ${use}`,
  );
  return { taken };
}
