import { WorkflowNotFoundError } from '@temporalio/client';
import type { ParkedGeneration } from '../../contract/entities/credit-gate.ts';
import { leftSignal, parkedSignal } from '../../contract/messages.ts';
import { entityId } from '../../contract/workflow-ids.ts';
import { isNotAnEntity, signalEntity } from '../../temporal/signal-entity.ts';
import type { ActivityDeps } from '../deps.ts';

/**
 * Parks a generation at the gate of its workspace, which signals it when the balance allows a submit. Harmless when it
 * is there already.
 *
 * @param freshFor how old a balance may be, in milliseconds: many generations look, and one GET is enough for them
 * @returns the balance, where it can be read
 */
export async function enterCreditGate(
  deps: ActivityDeps,
  { workspace, entry, freshFor = 0 }: { workspace: string; entry: ParkedGeneration; freshFor?: number },
): Promise<{ available?: number }> {
  const reading = await deps.balances.within(workspace, freshFor);
  const baseline = entry.baseline ?? reading?.available;
  const signalled = signalEntity(deps.temporal, 'creditGate', {
    workflowId: entityId('credit-gate', workspace, deps.taskQueue),
    taskQueue: deps.taskQueue,
    args: [{ workspace }],
    signal: parkedSignal,
    signalArgs: [{ ...entry, ...(baseline === undefined ? {} : { baseline }) }],
    staticSummary: `generations of workspace ${workspace} that wait for credits`,
  });
  // The run looks for itself, too: the gate only makes it quick.
  await signalled.catch((error: unknown) => {
    if (!isNotAnEntity(error)) throw error;
  });
  return reading === undefined ? {} : { available: reading.available };
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
