import { condition, workflowInfo } from '@temporalio/workflow';
import type { BalanceEvidence, SubmitTaskResult } from '../../activities/submit-contract.ts';
import { NO_USAGE } from '../../api/usage.ts';
import { claims, formatDuration, summary } from './activities.ts';
import { askPerson } from './ask.ts';
import type { GenerationRun, HeldTask } from './run.ts';

/** How often an unsettled claim is asked about again, in milliseconds. */
const UNSETTLED_PAUSE = 1_000;

type UnknownSubmit = Extract<SubmitTaskResult, { kind: 'unknown' }>;

/** What follows a submit whose outcome was unknown. */
export type ReconcileEnd = { kind: 'task'; task: HeldTask } | { kind: 'resubmit' } | { kind: 'fail' };

/**
 * Looks for the task that a submit may have bought before anything is submitted again. The evidence is the
 * `task.created` event of a task that nobody holds; `unclaimed-tasks/<workspace>` collects those and grants each
 * to one claim at most. Without evidence the policy decides, and by default a person.
 */
export async function reconcile(
  run: GenerationRun,
  input: Record<string, unknown>,
  { reason, since, balance }: UnknownSubmit,
): Promise<ReconcileEnd> {
  const { wait, otherwise } = run.policy.reconcile;
  const { workflowId, runId } = workflowInfo();
  const claimId = `${runId}/${run.attempts.length + 1}`;
  run.enter('reconciling', `${reason}; looking for the task for ${formatDuration(wait)}`);
  await claims.requestClaim({
    workspace: run.workspace,
    claim: { claimId, workflowId, runId, model: run.request.model, body: input, since },
  });
  const granted = (): boolean => run.grants.has(claimId);
  await condition(granted, wait, { summary: summary('wait for evidence of the task') });

  let decision: Awaited<ReturnType<typeof askPerson>>;
  if (!granted() && otherwise === 'ask') {
    decision = await askPerson(
      run,
      `${reason}${describeBalance(balance)}. Nobody can tell whether a task was bought: ` +
        'decide "resubmit", "adopt" (with its taskId) or "fail"',
      granted,
    );
  }
  const taskId = await withdraw(run, claimId, decision !== undefined);
  run.unknownResolvedAt = Date.now();
  const adopted = decision?.action === 'adopt' ? decision.taskId : taskId;
  if (adopted !== undefined) {
    return { kind: 'task', task: { taskId: adopted, usage: NO_USAGE, adopted: true } };
  }
  const action = decision?.action ?? (otherwise === 'resubmit' ? 'resubmit' : 'fail');
  return { kind: action === 'resubmit' ? 'resubmit' : 'fail' };
}

/**
 * The one atomic step of giving up: after it the claim is either granted or gone, never both. While a task may
 * still turn out to be this run's (its owner is not settled), giving up would buy it twice: so it goes on waiting,
 * as long as another submit can be in flight.
 *
 * @param force a person has decided: no more waiting
 */
async function withdraw(run: GenerationRun, claimId: string, force: boolean): Promise<string | undefined> {
  const { workspace, grants, policy } = run;
  const latest = Date.now() + 2 * policy.submit.timeout + policy.submit.heartbeat;
  for (;;) {
    const granted = grants.get(claimId);
    if (granted !== undefined) return granted;
    const end = await claims.withdrawClaim({ workspace, claimId, force: force || Date.now() >= latest });
    if (end.kind === 'granted') return end.taskId;
    if (end.kind === 'gone') return grants.get(claimId);
    await condition(() => grants.has(claimId), UNSETTLED_PAUSE);
  }
}

function describeBalance({ before, after }: BalanceEvidence = {}): string {
  const told = [before, after].map((reading) =>
    reading === undefined ? 'not known' : `${reading.available} at ${new Date(reading.at).toISOString()}`,
  );
  return before === undefined && after === undefined ? '' : `; credits before: ${told[0]}, after: ${told[1]}`;
}
