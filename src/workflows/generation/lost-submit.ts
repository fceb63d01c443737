import { condition, workflowInfo } from '@temporalio/workflow';
import { fieldDigests, withTemplate } from '../../api/field-digests.ts';
import type { WithdrawalEnd, WithdrawalKind } from '../../contract/unclaimed-tasks.ts';
import { claims, local } from './activities.ts';
import { Evidence } from './evidence.ts';
import type { Steps } from './generation.ts';
import { claimIdOf, patienceOf, type UnknownSubmit } from './unknown-submit.ts';

/** The tasks that the run has had of late: their events may come late. */
const MAX_KNOWN = 20;

interface FindOptions {
  enough?: () => boolean;
  /** Of the timer, in the UI. */
  summary?: string;
}

/** The search for the task of one submit: the run's claim, and what the run itself has heard. */
export class LostSubmit {
  readonly evidence: Evidence;
  readonly #steps: Steps;
  readonly #since: number;
  readonly #claimId: string;

  constructor(steps: Steps, { since }: UnknownSubmit) {
    this.#steps = steps;
    this.#since = since;
    this.#claimId = claimIdOf(workflowInfo().firstExecutionRunId, since);
    this.evidence = new Evidence(steps);
  }

  /** The task that this claim was granted. */
  get granted(): string | undefined {
    return this.#steps.inbox.grants.get(this.#claimId);
  }

  /** Puts the claim in; or in again, where nobody may know of it any more. */
  async claim(): Promise<void> {
    const { run, plan } = this.#steps;
    const { workflowId, runId, firstExecutionRunId } = workflowInfo();
    await local.requestClaim({
      workspace: run.workspace,
      claim: {
        claimId: this.#claimId,
        workflowId,
        firstRunId: firstExecutionRunId,
        runId,
        model: run.request.model,
        fields: withTemplate(fieldDigests(plan.input), run.request.templateId),
        since: this.#since,
        known: run.settledTaskIds.slice(-MAX_KNOWN),
        wait: plan.policy.reconcile.wait,
        patience: patienceOf(plan.policy),
      },
    });
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
      if (task !== undefined || now >= until || enough()) return task;
      const next = Math.min(until, this.evidence.nextAt);
      if (next > now) {
        await condition(() => this.granted !== undefined || this.evidence.isDue || enough(), next - now, {
          summary,
        });
      }
    }
  }

  /** The one atomic step of giving up: after it the claim is granted or gone, never both; or it stays. */
  async withdraw(as: WithdrawalKind): Promise<WithdrawalEnd> {
    const { workspace } = this.#steps.run;
    if (this.granted !== undefined) return { kind: 'granted', taskId: this.granted };
    const end = await claims.withdrawClaim({ workspace, claimId: this.#claimId, as });
    // The grant's signal may have come before the answer to the withdrawal.
    return this.granted === undefined ? end : { kind: 'granted', taskId: this.granted };
  }

  /** The run knows a task: nobody needs to look for it any more. @returns the one that it gets */
  async settle(found: string): Promise<string> {
    const end = await this.withdraw('settled');
    return end.kind === 'granted' ? end.taskId : found;
  }
}
