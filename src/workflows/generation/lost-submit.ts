import { condition, log, workflowInfo } from '@temporalio/workflow';
import { fieldDigests, withTemplate } from '../../api/input/field-digests.ts';
import type { ClaimPutIn } from '../../contract/activities.ts';
import type { WithdrawalEnd, WithdrawalKind } from '../../contract/entities/unclaimed-tasks.ts';
import { claiming, claims } from './activities.ts';
import { askEntity } from './ask-entity.ts';
import type { KeptOfSearch } from './continue.ts';
import type { Evidence } from './evidence.ts';
import type { Steps } from './generation.ts';
import { submitKey } from './inbox.ts';
import { claimIdOf, patienceOf, type ReconcileEnd, type UnknownSubmit } from './unknown-submit.ts';

/** Where the entity does not answer, it is asked again after so many milliseconds. */
const UNANSWERED = 5_000;
/** The tasks that the run has had of late: their events may come late. */
const MAX_KNOWN = 20;
const REPLACED = 'unclaimed-tasks was ended from outside meanwhile, and what it had heard of tasks is lost';

interface FindOptions {
  enough?: () => boolean;
  /** Of the timer, in the UI. */
  summary?: string;
}

/** The search for the task of one submit: the run's claim, and what the run itself has heard. */
export class LostSubmit {
  readonly evidence: Evidence;
  readonly #steps: Steps;
  readonly #unknown: UnknownSubmit;
  readonly #claimId: string;
  /** Why the claim could not be put in. */
  #whyNotIn: string | undefined;
  /** The entity that has taken the claim first, by its first run: it does not end while it has one. */
  #entity: string | undefined;
  /** Whether another one has taken it since: what the first one knew is lost. */
  #isForgotten = false;

  /** @param kept what an earlier run has kept of the search */
  constructor(steps: Steps, unknown: UnknownSubmit, { entity }: KeptOfSearch = {}) {
    this.#steps = steps;
    this.#unknown = unknown;
    this.#entity = entity;
    this.#claimId = claimIdOf(workflowInfo().firstExecutionRunId, unknown.since);
    this.evidence = steps.evidence;
  }

  /** What a run that goes on with the search has to know. */
  get kept(): KeptOfSearch {
    return this.#entity === undefined ? {} : { entity: this.#entity };
  }

  /** The task that this claim was granted. */
  get granted(): string | undefined {
    return this.#steps.inbox.grants.get(this.#claimId);
  }

  /** Whether its worker has told that it was never sent: then there is no task, and nothing is unknown. */
  get wasNeverSent(): boolean {
    const { runId, activityId } = this.#unknown.submit ?? {};
    if (runId === undefined || activityId === undefined) return false;
    return this.#steps.inbox.notSent.has(submitKey(runId, activityId));
  }

  /** Puts the claim in; or in again, where nobody may know of it any more. */
  async claim(): Promise<void> {
    const { run, plan } = this.#steps;
    const { workflowId, runId, firstExecutionRunId } = workflowInfo();
    const { since, clockOffset } = this.#unknown;
    const asked = claiming.requestClaim({
      workspace: run.workspace,
      claim: {
        claimId: this.#claimId,
        workflowId,
        firstRunId: firstExecutionRunId,
        runId,
        model: run.request.model,
        fields: withTemplate(fieldDigests(plan.inputWith(this.#unknown.seed)), run.request.templateId),
        since,
        ...(clockOffset === undefined ? {} : { clockOffset }),
        known: run.settledTaskIds.slice(-MAX_KNOWN),
        wait: plan.policy.reconcile.wait,
        patience: patienceOf(plan.policy),
      },
    });
    const end = await askEntity<ClaimPutIn & { why?: string }>(asked, (why) => ({ why }));
    this.#whyNotIn = end.why;
    // What is told of a submit names its run; none was told before the id stood in the history.
    const { submit } = this.#unknown;
    if (submit !== undefined && end.runId !== undefined) submit.runId ??= end.runId;
    if (end.entity === undefined) return;
    this.#entity ??= end.entity;
    this.#isForgotten ||= end.entity !== this.#entity;
  }

  /**
   * Waits for the task, until `until` (ms since the epoch) or until `enough`.
   *
   * @returns its id
   */
  async find(
    until: number,
    { enough = () => false, summary = 'wait for evidence of the task' }: FindOptions = {},
  ): Promise<string | undefined> {
    for (;;) {
      const own = this.granted ?? (await this.evidence.look());
      const task = this.granted ?? own;
      const now = Date.now();
      if (task !== undefined || now >= until || this.wasNeverSent || enough()) return task;
      const next = Math.min(until, this.evidence.nextAt);
      if (next > now) {
        const isOver = (): boolean =>
          this.granted !== undefined || this.evidence.isDue || this.wasNeverSent || enough();
        await condition(isOver, next - now, { summary });
      }
    }
  }

  /** The one atomic step of giving up: after it the claim is granted or gone, never both; or it stays. */
  async withdraw(as: WithdrawalKind): Promise<WithdrawalEnd> {
    const { workspace } = this.#steps.run;
    if (this.granted !== undefined) return { kind: 'granted', taskId: this.granted };
    const { policy } = this.#steps.plan;
    const isGivenUp = this.#unknown.givenUp === true;
    const buysAgain = as === 'give up' && (isGivenUp || policy.reconcile.otherwise === 'resubmit');
    if (this.#whyNotIn !== undefined) await this.claim();
    if (this.#whyNotIn !== undefined) return unanswered(this.#whyNotIn);
    if (buysAgain && this.#isForgotten) return { kind: 'forgotten', why: REPLACED };
    const asked = claims.withdrawClaim({
      workspace,
      claimId: this.#claimId,
      as,
      ...(buysAgain ? this.#times() : {}),
    });
    const end = await askEntity<WithdrawalEnd>(asked, unanswered);
    // The grant's signal may have come before the answer to the withdrawal.
    return this.granted === undefined ? end : { kind: 'granted', taskId: this.granted };
  }

  /** From when on all has to be known that was heard of tasks. */
  #times(): { submittedAt: number; claimedAt?: number } {
    const { since, claimedAt } = this.#unknown;
    return { submittedAt: since, ...(claimedAt === undefined ? {} : { claimedAt }) };
  }

  /** What it was granted is for the run to judge, like all that it has heard of. */
  keepGrant(taskId: string): void {
    this.#steps.inbox.grants.set(this.#claimId, taskId);
  }

  /** Nobody needs to look for the task of a submit that was never sent; one that was granted by now is taken. */
  async endNeverSent(): Promise<ReconcileEnd> {
    log.info('the submit was never sent: nothing was bought');
    const end = await this.withdraw('settled');
    return end.kind === 'granted' ? { kind: 'task', taskId: end.taskId } : { kind: 'not sent' };
  }

  /** The run knows a task: nobody needs to look for it any more. @returns the one that it gets */
  async settle(found: string): Promise<string> {
    const end = await this.withdraw('settled');
    return end.kind === 'granted' ? end.taskId : found;
  }
}

function unanswered(why: string): WithdrawalEnd {
  return {
    kind: 'looking',
    wait: UNANSWERED,
    why: `unclaimed-tasks does not answer (${why})`,
    lasting: true,
  };
}
