import { observe, rateAt, recoversIn, startRate } from './rate-controller.ts';
import type { FleetPaceState, PaceAnswer, SubmitReport } from './types.ts';

/** The workers empty the task queue of what was put into it before the slow-down for so long, at most. */
const MAX_SETTLING = 4_000;
const SETTLING_REPORTS = 400;
const REPORTS = 1_000;
/** However many processes report, together they do so about ten times a second. */
const REPORTS_APART = 100;
/** More processes than a fleet has: whoever may reach Temporal may report by many names. */
const MOST_REPORTERS = 2_000;
/** The queue is set to so much more than the rate: each of its partitions has a share, and some run dry. */
const SPREAD = 1.2;
/** A process that is silent for so long gets no share. */
const SILENT = 15_000;

/** The pace of one workspace's submits over all worker processes. Pure: the time is passed in. */
export class FleetPace {
  readonly #state: FleetPaceState;

  constructor(state: FleetPaceState) {
    this.#state = structuredCopy(state);
  }

  /** @param first the report of the first refusal; its accepted submits are those of the second before it */
  static begin(first: SubmitReport, now: number): FleetPace {
    return new FleetPace({
      pacedBy: 'settling',
      settlingSince: now,
      pausedUntil: now,
      rate: startRate(Math.max(first.accepted, perSecond(first.initial)), perSecond(first.max), now),
      reporters: {},
      accepted: 0,
      refused: 0,
    });
  }

  get state(): FleetPaceState {
    return this.#state;
  }

  /** What the task queue is to be limited to: submits a second; null while the workers keep the pace. */
  queueRate(now: number): number | null {
    const { pacedBy, rate } = this.#state;
    return pacedBy === 'queue' ? rateAt(rate, now) * SPREAD : null;
  }

  report(report: SubmitReport, now: number): PaceAnswer {
    const state = this.#state;
    const { accepted, refused, held } = report;
    for (const [reporter, at] of Object.entries(state.reporters)) {
      if (at <= now - SILENT) delete state.reporters[reporter];
    }
    const others = Object.keys(state.reporters).length;
    if (others < MOST_REPORTERS || Object.hasOwn(state.reporters, report.reporter))
      state.reporters[report.reporter] = now;
    state.accepted += accepted;
    state.refused += refused;
    if (report.pausedFor > 0) state.pausedUntil = Math.max(state.pausedUntil, now + report.pausedFor);
    state.rate = observe(state.rate, { at: now, accepted, refused }, state.pausedUntil);
    if (state.pacedBy === 'settling' && this.#isSettled(held, now)) state.pacedBy = 'queue';
    return this.answer(now);
  }

  answer(now: number): PaceAnswer {
    const { pacedBy, pausedUntil, reporters } = this.#state;
    const rate = rateAt(this.#state.rate, now);
    const processes = Math.max(1, Object.keys(reporters).length);
    return {
      pacedBy,
      rate,
      share: rate / processes,
      pausedFor: Math.max(0, pausedUntil - now),
      nextReport: pacedBy === 'settling' ? SETTLING_REPORTS : Math.max(REPORTS, processes * REPORTS_APART),
    };
  }

  /** The server cannot keep the pace: from now on the workers do. */
  leaveToWorkers(): void {
    this.#state.pacedBy = 'workers';
  }

  hasRecovered(now: number): boolean {
    return this.recoversIn(now) === 0;
  }

  recoversIn(now: number): number {
    return recoversIn(this.#state.rate, now);
  }

  /** Whether what comes from the queue now was put there after the slow-down. */
  #isSettled(held: number, now: number): boolean {
    const since = now - this.#state.settlingSince;
    return since >= MAX_SETTLING || (since >= 2 * SETTLING_REPORTS && held <= 2);
  }
}

/** How many pauses of that length fit into a second: of one of none, as of a millisecond. */
function perSecond(pause: number): number {
  return 1_000 / Math.max(1, pause);
}

function structuredCopy(state: FleetPaceState): FleetPaceState {
  return { ...state, reporters: { ...state.reporters } };
}
