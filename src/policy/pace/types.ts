import { isRecord } from '../../api/json/is-record.ts';

/** What one worker process has seen of a workspace's submits since its last report. */
export interface SubmitReport {
  /** The process, so that the workers' shares can be told. */
  reporter: string;
  accepted: number;
  /** POSTs that the API refused with `RATE_LIMITED`. */
  refused: number;
  /** Submits that were given back to Temporal without a POST. */
  held: number;
  /** How much longer the API wants to be left alone (`Retry-After`), in milliseconds; 0: no longer. */
  pausedFor: number;
  /** From the policy of the submit refused last: the pause after the first refusal and the longest, milliseconds. */
  initial: number;
  max: number;
}

/** Numbers of a report. */
const COUNTS = ['accepted', 'refused', 'held', 'pausedFor', 'initial', 'max'] as const;

/** Characters of a reporter's name. */
const LONGEST_REPORTER = 200;
/** Of each number: as milliseconds thirty years. */
const MOST = 1e12;

/** Whether it is a report: who may reach Temporal may send anything. */
export function isSubmitReport(value: unknown): value is SubmitReport {
  if (!isRecord(value)) return false;
  const { reporter } = value;
  if (typeof reporter !== 'string' || reporter.length > LONGEST_REPORTER) return false;
  return COUNTS.every((name) => {
    const count = value[name];
    return typeof count === 'number' && count >= 0 && count <= MOST;
  });
}

/**
 * Who keeps the pace. `settling`: the workers do, by their shares, while they empty the task queue of what was
 * put into it before the slow-down. `queue`: Temporal's task queue does. `workers`: they do for good, because
 * the server cannot.
 */
type PacedBy = 'settling' | 'queue' | 'workers';

/** What a worker process is told in return. */
export interface PaceAnswer {
  pacedBy: PacedBy;
  /** Submits a second for the whole fleet. */
  rate: number;
  /** Submits a second for this process, where the workers keep the pace. */
  share: number;
  /** How much longer nobody is to submit, in milliseconds. */
  pausedFor: number;
  /** When to report again, in milliseconds. */
  nextReport: number;
}

/** A moment's counts of the whole fleet. */
export interface PaceSample {
  /** Milliseconds since the epoch. */
  at: number;
  accepted: number;
  refused: number;
}

/** What the rate controller remembers. Rates are submits a second, times milliseconds since the epoch. */
export interface RateState {
  /** The rate that the API seems to bear: what it grows from. */
  known: number;
  /** Whether it was never lowered. */
  isFirst: boolean;
  /** Since when the rate has been growing. */
  growsSince: number;
  loweredAt: number;
  /** The lowest rate. */
  floor: number;
  recent: PaceSample[];
}

export interface FleetPaceState {
  pacedBy: PacedBy;
  settlingSince: number;
  pausedUntil: number;
  rate: RateState;
  /** When each process last reported, milliseconds since the epoch. */
  reporters: Record<string, number>;
  /** Since the start. */
  accepted: number;
  refused: number;
}
