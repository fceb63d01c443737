import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { FleetPace } from '../../policy/pace/fleet-pace.ts';
import type { PaceAnswer, SubmitReport } from '../../policy/pace/types.ts';
import type { Pace } from '../../policy/policy.ts';
import { SubmitWindow } from './submit-window.ts';
import { WorkspacePace } from './workspace-pace.ts';

/** Refusals that come together make one report (milliseconds). */
const TOGETHER = 20;
/** A workspace without any news for so long is forgotten: the fleet has forgotten it too. */
const FORGOTTEN = 10 * 60_000;

/** A submit waits so long for room in its activity, and then comes again (milliseconds). */
const MAX_WAIT_FOR_ROOM = 1_000;

/** Where the reports go. */
export interface PaceReports {
  /**
   * @param mayStart whether the fleet's pace is to be kept from now on, if it is not yet
   * @returns undefined when the workspace is not slowed (any more)
   * @throws when the report cannot be delivered
   */
  report(workspace: string, report: SubmitReport, mayStart: boolean): Promise<PaceAnswer | undefined>;
}

/**
 * A submit's turn. Else it is to come again after that many milliseconds, without a POST: `hold`, because the API
 * refuses the workspace's submits; `full`, because as many as may be are in flight.
 */
export type Turn =
  | { kind: 'go'; took: Submitting }
  | { kind: 'hold'; delay: number; stalledFor: number }
  | { kind: 'full'; delay: number };

/** A submit whose turn it is: one of `accepted`, `refused` and `unanswered` at most, and always `end`. */
export interface Submitting {
  accepted(): void;
  /** @param retryAfter milliseconds, where the API says */
  refused(retryAfter: number | undefined): void;
  /** Nobody can tell what became of it. */
  unanswered(): void;
  end(): void;
}

interface Slowed {
  pace: WorkspacePace;
  /** What stands in for the fleet's pace while reports do not arrive. */
  alone: FleetPace | undefined;
  newsAt: number;
}

interface Workspace {
  window: SubmitWindow;
  /** When submits of the last second were accepted. */
  lately: number[];
  slowed: Slowed | undefined;
}

/**
 * Paces the submits of this process, each workspace for itself. While the API refuses nothing it only counts.
 * After a refusal it holds further submits back as long as the API wants, reports what happens to the fleet
 * (`submit-pace/<workspace>`), and keeps the pace that it is told. See docs/decisions/0007.
 */
export class SubmitPacing {
  readonly #reports: PaceReports;
  readonly #reporter = randomUUID();
  readonly #workspaces = new Map<string, Workspace>();

  constructor(reports: PaceReports) {
    this.#reports = reports;
  }

  /**
   * Waits for a turn within the process, a second or a few answers' time at most.
   *
   * @param pace the policy's for submits that are refused with `RATE_LIMITED`
   * @param canceled rejects when nobody wants the submit any more
   */
  async turn(name: string, pace: Pace, canceled: Promise<never>): Promise<Turn> {
    const workspace = this.#workspace(name);
    const { window } = workspace;
    if (!(await window.enter(canceled, MAX_WAIT_FOR_ROOM))) {
      return { kind: 'full', delay: window.away() };
    }
    let isTaken = false;
    try {
      const { slowed } = workspace;
      if (slowed !== undefined) {
        let admission = slowed.pace.admit(Date.now(), Math.random());
        if (admission.kind === 'go' && admission.after > 0) {
          await Promise.race([sleep(admission.after), canceled]);
          if (slowed.pace.isPaused(Date.now())) admission = slowed.pace.hold(Date.now(), Math.random());
        }
        if (admission.kind === 'hold') {
          return { ...admission, stalledFor: slowed.pace.stalledFor(Date.now()) };
        }
      }
      isTaken = true;
      return { kind: 'go', took: this.#submitting(name, workspace, pace) };
    } finally {
      if (!isTaken) window.leave();
    }
  }

  #workspace(name: string): Workspace {
    let workspace = this.#workspaces.get(name);
    if (workspace === undefined) {
      workspace = { window: new SubmitWindow(), lately: [], slowed: undefined };
      this.#workspaces.set(name, workspace);
    }
    return workspace;
  }

  #submitting(name: string, workspace: Workspace, pace: Pace): Submitting {
    const { window } = workspace;
    const sentAt = Date.now();
    return {
      accepted: () => {
        window.accepted(Date.now() - sentAt);
        workspace.slowed?.pace.accepted(sentAt);
        const now = Date.now();
        while (workspace.lately[0] !== undefined && workspace.lately[0] <= now - 1_000)
          workspace.lately.shift();
        workspace.lately.push(now);
      },
      refused: (retryAfter) => {
        window.shrink();
        const now = Date.now();
        if (workspace.slowed === undefined) {
          const lately = workspace.lately.filter((at) => at > now - 1_000).length;
          const slowed = { pace: new WorkspacePace(lately, pace), alone: undefined, newsAt: now };
          workspace.slowed = slowed;
          void this.#keepReporting(name, workspace, slowed);
        }
        workspace.slowed.pace.refused(sentAt, now, Math.random(), pace, retryAfter);
      },
      unanswered: () => window.shrink(),
      end: () => window.leave(),
    };
  }

  /** Reports as often as the fleet wants, as long as there is something to say, until nothing is slowed any more. */
  async #keepReporting(name: string, workspace: Workspace, slowed: Slowed): Promise<void> {
    const { pace } = slowed;
    await pause(TOGETHER);
    while (Date.now() < slowed.newsAt + FORGOTTEN) {
      if (pace.hasNews) {
        slowed.newsAt = Date.now();
        const answer = await this.#report(name, slowed);
        if (answer === undefined) break;
        pace.heed(answer, Date.now());
      }
      await pause(Math.max(TOGETHER, pace.answer.nextReport));
    }
    workspace.slowed = undefined;
  }

  async #report(name: string, slowed: Slowed): Promise<PaceAnswer | undefined> {
    const report = slowed.pace.takeReport(this.#reporter, Date.now());
    try {
      const answer = await this.#reports.report(name, report, report.refused > 0);
      slowed.alone = undefined;
      return answer;
    } catch {
      const now = Date.now();
      slowed.alone ??= FleetPace.begin(report, now);
      slowed.alone.leaveToWorkers();
      const answer = slowed.alone.report(report, now);
      return slowed.alone.hasRecovered(now) ? undefined : answer;
    }
  }
}

/** Does not keep the process alive. */
async function pause(milliseconds: number): Promise<void> {
  await sleep(milliseconds, undefined, { ref: false });
}
