/** Times of a storm, in milliseconds. */
export interface StormSize {
  /** How long generations are started and things are broken. */
  window: number;
  /** How long the receivers, and later the Temporal server, are kept away. */
  outage: number;
  /** Pause between two worker kills, drawn between these. */
  killEvery: readonly [least: number, most: number];
  receiverRestarts: number;
  temporalRestarts: number;
  resets: number;
  /**
   * The policy's `reconcile.wait`: longer than any evidence can take (outage, the server's recovery from it, delivery
   * retry, lateness, hold). Measured on two cores: the first signals got through 30 s after the server was back.
   */
  evidenceWait: number;
  /** The policy's deadline of a task: longer than the outage, so that only a task that hangs is overdue. */
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
      window: 7_000,
      outage: 1_000,
      killEvery: [2_000, 3_000],
      receiverRestarts: 0,
      temporalRestarts: 0,
      resets: Math.ceil(generations * 0.15),
      evidenceWait: 11_000,
      deadline: 20_000,
      patience: 60_000,
    };
  }
  return {
    window: 110_000 + generations * 40,
    outage: 30_000,
    killEvery: [3_500, 6_500],
    receiverRestarts: 5,
    temporalRestarts: 2,
    resets: Math.ceil(generations * 0.1),
    evidenceWait: 90_000,
    deadline: 75_000,
    // Five unknown submits in a row are five waits: the calls of a generation can meet as many faults.
    patience: 600_000,
  };
}
