import { condition, uuid4, workflowInfo } from '@temporalio/workflow';
import { fieldDigests } from '../../api/field-digests.ts';
import type { Decision } from '../../contract/generation.ts';
import type { WithdrawalEnd } from '../../contract/unclaimed-tasks.ts';
import type { Policy } from '../../policy/policy.ts';
import { claims, formatDuration, summary } from './activities.ts';
import { askPerson } from './ask.ts';
import { OldEvidence } from './evidence-0.1.ts';
import type { Steps } from './generation.ts';
import { describeBalance, patienceOf, type ReconcileEnd, type UnknownSubmit } from './unknown-submit.ts';

/** How often an unsettled claim is asked about again, in milliseconds. */
const UNSETTLED_PAUSE = 1_000;
/**
 * Evidence comes the same way as everything from Temporal. When that way was blocked at the end of the wait, by so
 * many milliseconds, evidence may be delayed in it as well: the wait begins anew.
 */
const MAX_LATE = 10_000;
/** Every Reset of a run that reconciles makes it claim once more, and so does an outage. */
const MAX_CLAIMS = 20;

/** How a claim ended for good. */
type ClaimEnd = Exclude<WithdrawalEnd, { kind: 'unsettled' }>;

/**
 * What `reconcile` does, for runs that release 0.1 has begun: with the commands of that release, and for as long as
 * there are such runs.
 */
export async function reconcileAsRelease01(steps: Steps, unknown: UnknownSubmit): Promise<ReconcileEnd> {
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
  const { workflowId, runId, firstExecutionRunId } = workflowInfo();
  const claimId = uuid4(); // not from the run's id: that changes in a Reset, and history must stay true
  run.enter('reconciling', `${reason}; looking for the task for ${formatDuration(wait)}`);
  await claims.requestClaim({
    workspace: run.workspace,
    claim: {
      claimId,
      workflowId,
      firstRunId: firstExecutionRunId,
      runId,
      model: run.request.model,
      fields: fieldDigests(plan.input),
      since,
      known: run.settledTaskIds,
      wait,
      patience: patienceOf(plan.policy),
    },
  });
  const granted = (): boolean => inbox.grants.has(claimId);
  const evidence = new OldEvidence(steps);
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
    if (end.kind === 'held up' || end.kind === 'looking') {
      const why = end.kind === 'looking' ? end.why : 'events were delayed';
      run.enter('reconciling', `${reason}; ${why}: looking on for ${formatDuration(end.wait)}`);
      until = Date.now() + end.wait;
      continue;
    }
    if (end.kind === 'not there' && !settled) return 'claim again';
    if (end.kind === 'gone' && !settled && Date.now() - until > MAX_LATE) return 'claim again';
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
  evidence: OldEvidence,
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
  evidence: OldEvidence,
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
async function withdraw({ run, inbox }: Steps, claimId: string, force: boolean): Promise<ClaimEnd> {
  const { workspace } = run;
  const { grants } = inbox;
  for (;;) {
    const taskId = grants.get(claimId);
    if (taskId !== undefined) return { kind: 'granted', taskId };
    const end = await claims.withdrawClaim({ workspace, claimId, as: force ? 'settled' : 'give up' });
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
