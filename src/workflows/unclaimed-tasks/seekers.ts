import { canComeFrom, tellsOfAnother } from '../../api/input/same-input.ts';
import type { FormerClaim, KeptClaim } from '../../contract/entities/unclaimed-tasks.ts';
import type { FormerClaims } from './former-claims.ts';
import type { Entry } from './kept-tasks.ts';
import type { KnownModels } from './known-models.ts';
import { type Choice, choose, fits } from './matching.ts';
import { OpenClaims } from './open-claims.ts';

/** After this share of its wait a claim takes a task that is its last resort, where no better one has come. */
const LAST_RESORT = 0.75;

/** Who looks for a task, and who has done so before. */
export class Seekers {
  readonly open = new OpenClaims();
  readonly former: FormerClaims;
  readonly models: KnownModels;

  constructor(former: FormerClaims, models: KnownModels) {
    this.former = former;
    this.models = models;
  }

  fits(task: Entry, claim: KeptClaim | FormerClaim): boolean {
    return fits(task, claim, this.models.of(claim.model));
  }

  /** Whether anybody may get it, or has given it up. */
  want(task: Entry): boolean {
    for (const claim of this.open.candidates(task.fields)) if (this.fits(task, claim)) return true;
    return this.formerOf(task) !== undefined;
  }

  /** The open claims that a task may be for. */
  of(task: Entry): KeptClaim[] {
    return [...this.open.candidates(task.fields)].filter((claim) => this.fits(task, claim));
  }

  /** The open claims of submits that have sent what stands in it, whether it may be theirs or not. */
  claimants(task: Entry): KeptClaim[] {
    return [...this.open.candidates(task.fields)].filter(({ fields }) =>
      canComeFrom(task.fields, fields, undefined),
    );
  }

  /** The submit that was given up and may have bought it: the one that has its name, if any. @param served claims that get another one */
  formerOf(task: Entry, served?: ReadonlySet<string>): FormerClaim | undefined {
    const fitting = [...this.former.candidates(task.fields)].filter(
      (former) => !served?.has(former.claimId) && this.proves(task, former),
    );
    // One that a run has given up that may still go on is told first.
    const all = fitting.toSorted((a, b) => Number(a.closed ?? false) - Number(b.closed ?? false));
    return all.find(({ workflowId }) => workflowId === task.namedFor) ?? all[0];
  }

  /** Whether a task may show that a submit which was given up has been charged. */
  proves(task: Entry, former: FormerClaim): boolean {
    if (task.told || task.grantedTo !== undefined) return false;
    return this.fits(task, former) && !this.#tellsOfAnother(task, former);
  }

  /** Whose it is, of those who would take it by now: the one that has its name. @param served claims that get another one */
  choose(task: Entry, looked: number, served?: ReadonlySet<string>): Choice<KeptClaim> {
    const entitled = this.#entitled(task, looked).filter(({ claimId }) => !served?.has(claimId));
    const named = entitled.find(({ workflowId }) => workflowId === task.namedFor);
    if (named !== undefined) return { kind: 'one', search: named };
    return choose(task, entitled, (model) => this.models.of(model));
  }

  /** Whether somebody waits for it, but nobody would take it yet; for how long, in milliseconds. */
  untilTaken(task: Entry, looked: number): number | undefined {
    const all = this.of(task);
    if (all.length === 0 || this.#entitled(task, looked).length > 0) return undefined;
    return Math.max(1, Math.min(...all.map(lastResortAt)) - looked);
  }

  #entitled(task: Entry, looked: number): KeptClaim[] {
    return this.of(task).filter((claim) => lastResortAt(claim) <= looked || !this.#isLastResort(task, claim));
  }

  /**
   * One that has failed is for those who have waited long: it may be what an equal generation has had before. One with a
   * field of another model, too: who has lost that one's answer may claim it yet. One whose owner is known is that one's.
   */
  #isLastResort(task: Entry, claim: KeptClaim): boolean {
    if (task.owner !== undefined) return false;
    return task.endedWithoutResult === true || this.#tellsOfAnother(task, claim);
  }

  #tellsOfAnother({ fields }: Entry, { model, fields: sent }: KeptClaim | FormerClaim): boolean {
    const shape = this.models.of(model);
    return shape !== undefined && tellsOfAnother(fields, sent, shape.takes);
  }

  /** The longest that another submit of the same input can be in flight; undefined: nobody looks for it. */
  patience(task: Entry): number | undefined {
    const all = this.of(task);
    return all.length === 0 ? undefined : Math.max(...all.map(({ patience }) => patience));
  }
}

/** In looked time. */
function lastResortAt({ looksFrom, wait, looksUntilAtMost }: KeptClaim): number {
  return Math.min(looksFrom + LAST_RESORT * wait, looksUntilAtMost);
}
