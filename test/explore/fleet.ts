import { setTimeout as delay } from 'node:timers/promises';
import { isSubmit, isTelling, type Moment } from './moments.ts';
import type { Play } from './play.ts';
import type { Stage, StageOptions } from './stage.ts';

/**
 * Something that is done to all that plays on a stage at once: each scene stands at its moment by then. Those that say
 * how the stage is from the beginning have one moment only.
 */
export interface FleetAct {
  name: string;
  /** How its stage differs from the usual one. */
  stage?: Omit<StageOptions, 'places'>;
  /** Which moments it can be done at; absent: at each. */
  fits?: (moment: Moment) => boolean;
  /** Laid over the policies. */
  policy?: object;
  /** How long it may take to its end after it, on a quick machine (ms), where that is longer than usual. */
  bound?: number;
  /** Absent: the stage alone makes the difference. */
  act?: (stage: Stage, plays: readonly Play[]) => Promise<void>;
  /** After everybody went on. */
  after?: (stage: Stage) => Promise<void>;
}

/** The moment of what differs from the beginning. */
export const THROUGHOUT = 'throughout';

/** Scenes wait for each other in the middle of their submits: these bear it. */
const PATIENT = { submit: { timeout: '30s', heartbeat: '4s' } };
/** One that lost its answer waits for as long as an equal submit can be in flight: twice the time-out, and the heartbeat (ms). */
const AS_PATIENT = 180_000;
/** These do not: who was frozen for longer than all of it thaws when its run has gone on without it. */
const HASTY = { submit: { timeout: '2s', heartbeat: '2s' } };
const FROZEN = 9_000;
/** How long something is away (ms). */
const AWAY = 3_000;
const MINUTE = 60_000;
/** What was sent to somebody who was frozen is dealt with in a moment once he is not. */
const CATCHING_UP = 2_000;

/** What was on its way between two moments may be lost (ms since the epoch). */
function swallow(plays: readonly Play[], from: number, to: number): void {
  for (const { done } of plays) done.swallowed.push({ from, to });
}

/** Answers that came shortly before are still on their way to Temporal. */
const REPORTING = 1_500;

export const FLEET_ACTS: readonly FleetAct[] = [
  {
    name: 'worker killed',
    policy: PATIENT,
    bound: AS_PATIENT,
    async act(stage, plays) {
      const [first] = stage.workers;
      await first?.kill();
      stage.hooks.releaseAll();
      swallow(plays, Date.now() - REPORTING, Date.now());
      await stage.startWorker();
    },
  },
  {
    name: 'worker frozen and thawed',
    fits: isSubmit,
    policy: HASTY,
    async act(stage, plays) {
      const [first] = stage.workers;
      await stage.startWorker();
      const from = Date.now();
      first?.freeze();
      stage.hooks.releaseAll();
      await delay(FROZEN);
      first?.thaw();
      swallow(plays, from - REPORTING, Date.now() + CATCHING_UP);
    },
  },
  {
    name: 'Temporal killed and started',
    fits: isTelling,
    stage: { keeps: true },
    policy: PATIENT,
    bound: AS_PATIENT,
    async act(stage, plays) {
      const from = Date.now();
      await stage.temporal.kill();
      stage.hooks.releaseAll();
      await delay(AWAY / 2);
      await stage.temporal.start();
      swallow(plays, from - REPORTING, Date.now() + CATCHING_UP);
    },
  },
  {
    name: 'visibility away',
    fits: isSubmit,
    async act({ workers }) {
      for (const worker of workers) worker.visibility('away');
      return await Promise.resolve();
    },
    async after({ workers }) {
      await delay(AWAY);
      for (const worker of workers) worker.visibility('right');
    },
  },
  {
    name: 'visibility a minute behind',
    // To the end: later moments differ by nothing that was listed by then.
    fits: isSubmit,
    async act({ workers }) {
      for (const worker of workers) worker.visibility('behind');
      return await Promise.resolve();
    },
  },
  { name: 'a second deployment', stage: { other: true } },
  { name: "the worker's clock a minute ahead", stage: { ahead: { worker: MINUTE } } },
  { name: "the worker's clock a minute behind", stage: { ahead: { worker: -MINUTE } } },
  { name: "the receiver's clock a minute ahead", stage: { ahead: { receiver: MINUTE } } },
  { name: "the receiver's clock a minute behind", stage: { ahead: { receiver: -MINUTE } } },
  { name: "the API's clock a minute ahead", stage: { ahead: { answers: MINUTE, records: MINUTE } } },
  { name: "the API's clock a minute behind", stage: { ahead: { answers: -MINUTE, records: -MINUTE } } },
  { name: "the records' clock ten seconds behind", stage: { ahead: { records: -10_000 } } },
  { name: "the records' clock a minute ahead", stage: { ahead: { records: MINUTE } } },
  { name: "the records' clock a minute behind", stage: { ahead: { records: -MINUTE } } },
];
