import { condition, uuid4, workflowInfo } from '@temporalio/workflow';
import type { BalanceEvidence, SubmitTaskResult } from '../../contract/activities.ts';
import type { Decision } from '../../contract/generation.ts';
import type { WithdrawalEnd } from '../../contract/unclaimed-tasks.ts';
import type { Policy } from '../../policy/policy.ts';
import { claims, formatDuration, summary } from './activities.ts';
import { askPerson } from './ask.ts';
import { Evidence } from './evidence.ts';
import type { Steps } from './generation.ts';

/** How often an unsettled claim is asked about again, in milliseconds. */
const UNSETTLED_PAUSE = 1_000;
/**
 * Evidence comes the same way as everything from Temporal. When that way was blocked at the end of the wait, by so
 * many milliseconds, evidence may be held up in it as well: the wait begins anew.
 */
const HELD_UP = 10_000;
/** Every Reset of a run that reconciles makes it claim once more, and so does an outage. */
const MAX_CLAIMS = 20;

export type UnknownSubmit = Extract<SubmitTaskResult, { kind: 'unknown' }>;

/** How a claim ended for good. */
type ClaimEnd = Exclude<WithdrawalEnd, { kind: 'unsettled' }>;

/** What follows a submit whose outcome was unknown. */
export type ReconcileEnd = { kind: 'task'; taskId: string } | { kind: 'resubmit' } | { kind: 'fail' };

/**
 * Looks for the task that a submit may have bought before anything is submitted again. The evidence is an event of
 * a task that nobody holds; `unclaimed-tasks/<workspace>` collects those and grants each to one claim at most.
 * Without evidence the policy decides, and by default a person.
 */
export async function reconcile(steps: Steps, unknown: UnknownSubmit): Promise<ReconcileEnd> {
  for (let count = 1; ; count += 1) {
    const end = await claimOnce(steps, unknown);
    if (end !== 'claim again') return end;
    // A Reset goes on with the claim of the run that it has ended, and nothing is granted to that one any more.
    if (count >= MAX_CLAIMS)
      return { kind: steps.plan.policy.reconcile.otherwise === 'resubmit' ? 'resubmit' : 'fail' };
  }
}

async function claimOnce(
  steps: Steps,
  { reason, since, balance }: UnknownSubmit,
): Promise<ReconcileEnd | 'claim again'> {
  const { run, inbox, plan } = steps;
  const { wait, otherwise } = plan.policy.reconcile;
  const { workflowId, runId } = workflowInfo();
  const claimId = uuid4(); // not from the run's id: that changes in a Reset, and history must stay true
  run.enter('reconciling', `${reason}; looking for the task for ${formatDuration(wait)}`);
  await claims.requestClaim({
    workspace: run.workspace,
    claim: {
      claimId,
      workflowId,
      runId,
      model: run.request.model,
      body: plan.input,
      since,
      known: run.settledTaskIds,
      wait,
    },
  });
  const granted = (): boolean => inbox.grants.has(claimId);
  const evidence = new Evidence(steps);
  let until = Date.now() + wait;
  for (;;) {
    let own = await awaitEvidence(evidence, granted, until);
    let decision: Decision | undefined;
    if (own === undefined && !granted() && otherwise === 'ask') {
      const note =
        `${reason}${describeBalance(balance)}. Nobody can tell whether a task was bought: ` +
        'decide "resubmit", "adopt" (with its taskId) or "fail"';
      ({ decision, own } = await decideOrFind(steps, evidence, granted, note));
    }
    const settled = decision !== undefined || own !== undefined;
    const end = await withdraw(steps, claimId, settled);
    if (end.kind === 'held up') {
      run.enter('reconciling', `${reason}; events were held up: looking on for ${formatDuration(end.wait)}`);
      until = Date.now() + end.wait;
      continue;
    }
    if (end.kind === 'not there' && !settled) return 'claim again';
    if (end.kind === 'gone' && !settled && Date.now() - until > HELD_UP) return 'claim again';
    return reconciled(decision, end.kind === 'granted' ? end.taskId : own, otherwise);
  }
}

function reconciled(
  decision: Decision | undefined,
  found: string | undefined,
  otherwise: Policy['reconcile']['otherwise'],
): ReconcileEnd {
  const taskId = decision?.action === 'adopt' ? decision.taskId : found;
  if (taskId !== undefined) return { kind: 'task', taskId };
  const action = decision?.action ?? otherwise;
  return { kind: action === 'resubmit' ? 'resubmit' : 'fail' };
}

/**
 * Waits until the claim is granted, or until `until` (ms since the epoch).
 *
 * @returns a task that this run has other evidence of
 */
async function awaitEvidence(
  evidence: Evidence,
  granted: () => boolean,
  until: number,
): Promise<string | undefined> {
  for (;;) {
    const left = until - Date.now();
    if (left > 0) {
      await condition(() => granted() || evidence.candidate() !== undefined, left, {
        summary: summary('wait for evidence of the task'),
      });
    }
    const found = await evidence.find(granted);
    if (found !== undefined || granted() || Date.now() >= until) return found;
  }
}

/** A person's decision, or evidence that comes meanwhile. */
async function decideOrFind(
  steps: Steps,
  evidence: Evidence,
  granted: () => boolean,
  note: string,
): Promise<{ decision?: Decision; own?: string }> {
  for (;;) {
    const decision = await askPerson(steps, note, () => granted() || evidence.candidate() !== undefined);
    if (decision !== undefined) return { decision };
    const own = await evidence.find(granted);
    if (own !== undefined) return { own };
    if (granted()) return {};
  }
}

/**
 * The one atomic step of giving up: after it the claim is either granted or gone, never both. While a task may
 * still turn out to be this run's (its owner is not settled), giving up would buy it twice: so it goes on waiting,
 * as long as another submit can be in flight.
 *
 * @param force it is settled otherwise, by a person for example: no more waiting
 */
async function withdraw({ run, inbox, plan }: Steps, claimId: string, force: boolean): Promise<ClaimEnd> {
  const { workspace } = run;
  const { grants } = inbox;
  const { policy } = plan;
  const patience = 2 * policy.submit.timeout + policy.submit.heartbeat;
  for (;;) {
    const taskId = grants.get(claimId);
    if (taskId !== undefined) return { kind: 'granted', taskId };
    const end = await claims.withdrawClaim({ workspace, claimId, force, patience });
    if (end.kind === 'unsettled') {
      await condition(() => grants.has(claimId), UNSETTLED_PAUSE, {
        summary: summary('a task may still be this one'),
      });
      continue;
    }
    // The grant's signal may have come before the answer to the withdrawal.
    if (end.kind === 'granted' || !grants.has(claimId)) return end;
  }
}

function describeBalance({ before, after }: BalanceEvidence = {}): string {
  const told = [before, after].map((reading) =>
    reading === undefined ? 'not known' : `${reading.available} at ${new Date(reading.at).toISOString()}`,
  );
  return before === undefined && after === undefined ? '' : `; credits before: ${told[0]}, after: ${told[1]}`;
}
