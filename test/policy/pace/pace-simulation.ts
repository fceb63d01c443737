import { WorkspacePace } from '../../../src/activities/submit-pace/workspace-pace.ts';
import { backoffDelay } from '../../../src/policy/backoff.ts';
import { FleetPace } from '../../../src/policy/pace/fleet-pace.ts';
import { DEFAULT_POLICY } from '../../../src/policy/policy.ts';

/** Milliseconds from the API to a worker, from a worker to the fleet's pace, and from there to the queue. */
const ANSWER = 10;
const REPORT = 40;
const APPLY = 30;
const STEP = 5;
const PACE = DEFAULT_POLICY.retries.RATE_LIMITED;

export interface Situation {
  submits: number;
  /** What the API bears, submits a second, at that second. */
  limit: (second: number) => number;
  /** How many it lets save up. */
  burst: number;
  retryAfter: boolean;
  processes?: number;
  partitions?: number;
  seed?: number;
}

export interface Course {
  /** When the last submit was accepted, seconds. */
  seconds: number;
  refused: number;
  /** How often submits were given back without a POST. */
  held: number;
  /** When the fleet stopped slowing the workspace, seconds; null: it has not. */
  recoveredAt: number | null;
}

interface Process {
  name: string;
  pace: WorkspacePace | undefined;
  acceptedAt: number[];
}

interface Submit {
  refusals: number;
}

/**
 * Plays a burst of submits through the real pieces (the fleet's pace, each process's) with a task queue as
 * Temporal has it (partitions, each with its share of the rate and a second's burst) and an API with a token
 * bucket. Time is simulated; chance is seeded.
 */
export function simulate(situation: Situation): Course {
  const { submits, limit, burst, retryAfter, processes = 1, partitions = 4, seed = 1 } = situation;
  const random = seeded(seed);
  const agenda = new Map<number, (() => void)[]>();
  const queue = Array.from({ length: partitions }, () => ({ waiting: [] as Submit[], readyAt: 0 }));
  const workers = Array.from(
    { length: processes },
    (_, i): Process => ({
      name: `worker ${i}`,
      pace: undefined,
      acceptedAt: [],
    }),
  );
  const course: Course = { seconds: 0, refused: 0, held: 0, recoveredAt: null };
  let now = 0;
  let accepted = 0;
  let fleet: FleetPace | undefined;
  let queueRate: number | null = null;
  let tokens = burst;
  let filledAt = 0;

  const at = (time: number, action: () => void): void => {
    const step = Math.max(now + STEP, Math.ceil(time / STEP) * STEP);
    const actions = agenda.get(step);
    if (actions === undefined) agenda.set(step, [action]);
    else actions.push(action);
  };
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T; // never empty here
  const enqueue = (submit: Submit): void => void pick(queue).waiting.push(submit);

  function bucketRefusesFor(): number {
    const perMs = limit(now / 1_000) / 1_000;
    tokens = Math.min(burst, tokens + (now - filledAt) * perMs);
    filledAt = now;
    if (tokens < 1) return (1 - tokens) / perMs;
    tokens -= 1;
    return 0;
  }

  function run(submit: Submit, worker: Process): void {
    const admission = worker.pace?.admit(now, random());
    if (admission?.kind === 'hold') return hold(submit, admission.delay);
    at(now + (admission?.after ?? 0), () => {
      const late = worker.pace?.isPaused(now) ? worker.pace.hold(now, random()) : undefined;
      if (late?.kind === 'hold') hold(submit, late.delay);
      else post(submit, worker);
    });
  }

  function hold(submit: Submit, delay: number): void {
    course.held += 1;
    at(now + delay, () => enqueue(submit));
  }

  function post(submit: Submit, worker: Process): void {
    const sentAt = now;
    const wait = bucketRefusesFor();
    at(now + ANSWER, () => {
      if (wait === 0) {
        accepted += 1;
        course.seconds = now / 1_000;
        worker.acceptedAt.push(now);
        worker.pace?.accepted(sentAt);
        return;
      }
      course.refused += 1;
      submit.refusals += 1;
      const asked = retryAfter ? Math.ceil(wait / 1_000) * 1_000 : undefined;
      if (worker.pace === undefined) {
        worker.pace = new WorkspacePace(worker.acceptedAt.filter((time) => time > now - 1_000).length, PACE);
        at(now + 20, () => report(worker));
      }
      worker.pace.refused(sentAt, now, random(), PACE, asked);
      at(now + backoffDelay(PACE, submit.refusals, random(), asked), () => enqueue(submit));
    });
  }

  function report(worker: Process): void {
    const { pace } = worker;
    if (pace === undefined) return;
    if (!pace.hasNews) return at(now + pace.answer.nextReport, () => report(worker));
    const told = pace.takeReport(worker.name, now);
    at(now + REPORT, () => {
      if (fleet === undefined && told.refused === 0) {
        worker.pace = undefined;
        return;
      }
      fleet ??= FleetPace.begin(told, now);
      const answer = fleet.report(told, now);
      if (fleet.hasRecovered(now)) {
        course.recoveredAt = now / 1_000;
        fleet = undefined;
      }
      const rate = fleet?.queueRate(now) ?? null;
      at(now + APPLY, () => {
        queueRate = rate;
      });
      at(now + REPORT, () => {
        pace.heed(answer, now);
        at(now + answer.nextReport, () => report(worker));
      });
    });
  }

  function dispatch(): void {
    const apart = queueRate === null ? 0 : (1_000 * partitions) / queueRate;
    for (const partition of queue) {
      while (partition.readyAt <= now) {
        const submit = partition.waiting.shift();
        if (submit === undefined) break;
        partition.readyAt = Math.max(now, partition.readyAt + 1_000) - 1_000 + apart;
        run(submit, pick(workers));
      }
    }
  }

  for (let i = 0; i < submits; i++) at(2 * i, () => enqueue({ refusals: 0 }));
  const goesOn = (): boolean => accepted < submits && now < 3_600_000;
  for (; goesOn(); now += STEP) {
    for (const action of agenda.get(now) ?? []) action();
    agenda.delete(now);
    dispatch();
  }
  return course;
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}
