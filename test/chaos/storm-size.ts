/** Times of a storm, in milliseconds, and how often things happen. */
export interface StormSize {
  /** How long generations are started and things are broken. */
  window: number;
  /** How long the receivers, and later the Temporal server, are kept away. */
  outage: number;
  /** How long the API hangs: longer than a submit waits for its answer. */
  hang: number;
  /** How long no record can be read, and how long no file can be fetched. */
  trouble: number;
  /** How long a worker is frozen, drawn between these: the longer ones outlast its heartbeats. */
  freeze: readonly [least: number, most: number];
  /** How long the Temporal server is frozen. */
  temporalFreeze: number;
  /** Pause between two worker kills, drawn between these. */
  killEvery: readonly [least: number, most: number];
  workerFreezes: number;
  receiverRestarts: number;
  temporalRestarts: number;
  resets: number;
  /** Runs that are terminated and started again. */
  terminations: number;
  /** How often each entity workflow is terminated. */
  entityTerminations: number;
  /** Tasks a second that another system buys in the same workspace. */
  foreign: number;
  /**
   * The policy's `reconcile.wait`: longer than any evidence can take (outage, the server's recovery from it, delivery
   * retry, lateness, hold). Measured on two cores: the first signals got through 30 s after the server was back.
   */
  evidenceWait: number;
  /** The same of generations that ask a person when it has passed. */
  askingWait: number;
  /** The policy's deadline of a task: longer than the outages, so that only a task that hangs is overdue. */
  deadline: number;
  /** After the window: whoever is not done by then is stuck. */
  patience: number;
}

/** A storm of fewer generations than this is a short one: its outages are scaled down. */
const FULL_FROM = 100;

/** The times that suit a number of generations. */
export function sizeFor(generations: number): StormSize {
  if (generations < FULL_FROM) {
    return {
      window: 8_000,
      outage: 1_000,
      hang: 4_500,
      trouble: 2_500,
      freeze: [1_000, 5_000],
      temporalFreeze: 700,
      killEvery: [2_000, 3_000],
      workerFreezes: 2,
      receiverRestarts: 0,
      temporalRestarts: 0,
      resets: Math.ceil(generations * 0.2),
      terminations: Math.ceil(generations * 0.05),
      entityTerminations: 1,
      foreign: 4,
      evidenceWait: 14_000,
      askingWait: 7_000,
      deadline: 20_000,
      // A lost submit of unknown price keeps others out for four minutes, and until the cap's period ends.
      patience: 420_000,
    };
  }
  return {
    window: 150_000 + generations * 90,
    outage: 30_000,
    hang: 60_000,
    trouble: 60_000,
    freeze: [2_000, 20_000],
    temporalFreeze: 8_000,
    killEvery: [5_000, 9_000],
    workerFreezes: 8,
    receiverRestarts: 5,
    temporalRestarts: 2,
    resets: Math.ceil(generations * 0.1),
    terminations: Math.ceil(generations * 0.03),
    entityTerminations: 2,
    foreign: 20,
    evidenceWait: 120_000,
    askingWait: 20_000,
    deadline: 150_000,
    // Five unknown submits in a row are five waits: the calls of a generation can meet as many faults.
    patience: 900_000,
  };
}
