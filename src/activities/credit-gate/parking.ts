import { WorkflowNotFoundError } from '@temporalio/client';
import type { ParkedGeneration } from '../../contract/credit-gate.ts';
import { leftSignal, parkedSignal } from '../../contract/messages.ts';
import { entityId } from '../../contract/workflow-ids.ts';
import type { ActivityDeps } from '../deps.ts';
import { getBalance } from './get-balance.ts';

/** Parks a generation at the gate of its workspace, which signals it when the balance allows a submit. */
export async function enterCreditGate(
  deps: ActivityDeps,
  { workspace, entry }: { workspace: string; entry: ParkedGeneration },
): Promise<void> {
  const report = entry.baseline === undefined ? await getBalance(deps, { workspace }) : undefined;
  const baseline = report?.kind === 'balance' ? report.available : entry.baseline;
  await deps.temporal.workflow.signalWithStart('creditGate', {
    workflowId: entityId('credit-gate', workspace, deps.taskQueue),
    taskQueue: deps.taskQueue,
    args: [{ workspace }],
    signal: parkedSignal,
    signalArgs: [{ ...entry, ...(baseline === undefined ? {} : { baseline }) }],
    staticSummary: `generations of workspace ${workspace} that wait for credits`,
  });
}

/** Takes a generation out of the gate's queue; harmless when it is not there. */
export async function leaveCreditGate(
  deps: ActivityDeps,
  { workspace, parkId }: { workspace: string; parkId: string },
): Promise<void> {
  try {
    await deps.temporal.workflow
      .getHandle(entityId('credit-gate', workspace, deps.taskQueue))
      .signal(leftSignal, parkId);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
