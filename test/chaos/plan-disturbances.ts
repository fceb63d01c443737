import type { Random } from './random.ts';
import type { StormSize } from './storm-size.ts';

export const WORKERS = 3;

/** The entity workflows: each only makes things quick, so each may be terminated at any time. */
export const ENTITIES = ['unclaimed-tasks', 'credit-gate', 'submit-pace'] as const;

/** Something that is broken at a time, milliseconds after the storm's begin. */
export type Disturbance = { at: number } & (
  | { kind: 'worker killed'; worker: number; gently: boolean }
  | { kind: 'worker frozen'; worker: number; for: number }
  | { kind: 'receiver restarted' }
  | { kind: 'receivers away'; for: number }
  | { kind: 'temporal restarted' }
  | { kind: 'temporal away'; for: number }
  | { kind: 'temporal frozen'; for: number }
  | { kind: 'api hangs'; for: number }
  | { kind: 'no file can be fetched'; for: number }
  | { kind: 'no record can be read'; for: number }
  /** Which of the runs that were started so far, and to which of its points: both in [0, 1). */
  | { kind: 'run reset'; run: number; point: number; again?: { after: number; point: number } }
  /** One that waits for a person, if there is one. */
  | { kind: 'asking run reset'; run: number; point: number }
  | { kind: 'run terminated'; run: number }
  | { kind: 'entity terminated'; entity: (typeof ENTITIES)[number] }
);

/** Which share of the Resets is followed by a Reset of the run that the first one has begun. */
const RESET_AGAIN = 0.35;
/** Which share of them is of runs that wait for a person. */
const RESET_ASKING = 0.15;

/** What is broken when, from chance alone. */
export function planDisturbances(random: Random, size: StormSize): Disturbance[] {
  const { window, outage } = size;
  const anyTime = (): number => random.between(0, window);
  const planned: Disturbance[] = [
    { at: window * 0.08, kind: 'api hangs', for: size.hang },
    { at: window * 0.3, kind: 'no file can be fetched', for: size.trouble },
    { at: window * 0.42, kind: 'receivers away', for: outage },
    { at: window * 0.62, kind: 'temporal away', for: outage },
    { at: window * 0.7, kind: 'no record can be read', for: size.trouble },
    { at: window * 0.9, kind: 'temporal frozen', for: size.temporalFreeze },
  ];
  for (let at = random.between(...size.killEvery); at < window; at += random.between(...size.killEvery)) {
    const worker = Math.floor(random.next() * WORKERS);
    planned.push({ at, kind: 'worker killed', worker, gently: random.next() < 0.15 });
  }
  const times = (count: number, make: () => Disturbance): void => {
    for (let index = 0; index < count; index += 1) planned.push(make());
  };
  times(size.workerFreezes, () => ({
    at: anyTime(),
    kind: 'worker frozen',
    worker: Math.floor(random.next() * WORKERS),
    for: random.between(...size.freeze),
  }));
  times(size.receiverRestarts, () => ({ at: anyTime(), kind: 'receiver restarted' }));
  times(size.temporalRestarts, () => ({ at: anyTime(), kind: 'temporal restarted' }));
  times(size.resets, () => {
    const at = random.between(window * 0.05, window * 1.1);
    const [run, point] = [random.next(), random.next()];
    if (random.next() < RESET_ASKING) return { at, kind: 'asking run reset', run, point };
    const isAgain = random.next() < RESET_AGAIN;
    const again = { after: random.between(100, 4_000), point: random.next() };
    return { at, kind: 'run reset', run, point, ...(isAgain ? { again } : {}) };
  });
  times(size.terminations, () => ({
    at: random.between(window * 0.05, window),
    kind: 'run terminated',
    run: random.next(),
  }));
  for (const entity of ENTITIES) {
    times(size.entityTerminations, () => ({
      at: random.between(window * 0.2, window),
      kind: 'entity terminated',
      entity,
    }));
  }
  return planned.sort((a, b) => a.at - b.at);
}
