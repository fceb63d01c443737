import { condition } from '@temporalio/workflow';
import { endedInVain } from '../../api/ended-in-vain.ts';
import { fieldDigests } from '../../api/field-digests.ts';
import { local, summary } from './activities.ts';
import type { Steps } from './generation.ts';

/** How often a task whose record cannot be read is asked about again, in milliseconds. */
const RECHECK = 1_000;

/** Longest between two looks at it. */
const LONGEST_RECHECK = 5 * 60_000;

/**
 * What a run that release 0.1 has begun has heard of the task that a lost submit may have bought: as `Evidence`, with
 * the commands of that release.
 */
export class OldEvidence {
  readonly #steps: Steps;
  readonly #useless = new Set<string>();
  readonly #missingSince = new Map<string, number>();

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  get #grants(): string[] {
    const { run, inbox } = this.#steps;
    return run.unheld(inbox.grants.values());
  }

  /** A task that has not been ruled out. */
  candidate(): string | undefined {
    const { run, inbox } = this.#steps;
    // The receiver found this workflow by the tasks whose ends it told of: so some process has had the answer to a
    // submit of it, although this run may never have got it.
    return [...this.#grants, ...run.unheld(inbox.endedTasks)].find((taskId) => !this.#useless.has(taskId));
  }

  /**
   * Looks at the candidates, one after the other.
   *
   * @param enough whether there is no need any more
   * @returns the first that is of use
   */
  async find(enough: () => boolean): Promise<string | undefined> {
    for (let pause = RECHECK; ; pause = Math.min(1.5 * pause, LONGEST_RECHECK)) {
      const taskId = this.candidate();
      if (taskId === undefined || enough()) return undefined;
      const verdict = await this.#judge(taskId);
      if (verdict === 'of use') return taskId;
      if (verdict === 'of no use') this.#useless.add(taskId);
      else await condition(enough, pause, { summary: summary('the task is asked about again') });
    }
  }

  async #judge(taskId: string): Promise<'of use' | 'of no use' | 'not known'> {
    const { run, plan } = this.#steps;
    const { workspace, request } = run;
    // A grant has been compared already. Of another input it may be after an earlier run of this workflow id.
    const sent = this.#grants.includes(taskId)
      ? {}
      : { sent: { model: request.model, fields: fieldDigests(plan.input) } };
    const report = await local.getTask({ taskId, workspace, ...sent });
    if (report.kind === 'record')
      return report.isAsSent === false || endedInVain(report.status) ? 'of no use' : 'of use';
    if (report.kind === 'unavailable') return 'not known';
    const since = this.#missingSince.get(taskId) ?? Date.now();
    this.#missingSince.set(taskId, since);
    return Date.now() - since >= plan.policy.vanished.wait ? 'of no use' : 'not known';
  }
}
