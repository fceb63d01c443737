import type { UnclaimedTasksLimits } from '../../contract/entities/unclaimed-tasks.ts';

const MINUTE = 60_000;

/**
 * The usual bounds. With what else is carried over they stay below the 2 MB that the server takes of a run's arguments
 * together.
 */
export const LIMITS: UnclaimedTasksLimits = {
  entryLife: 60 * MINUTE,
  // With the usual time-outs a claim comes within two minutes of its submit.
  entryLifeAtLeast: 2 * MINUTE,
  entryBytes: 900_000,
  claimBytes: 500_000,
  formerLife: 24 * 60 * MINUTE,
  formerBytes: 100_000,
  claimCheck: 10 * MINUTE,
  // Most are handed over two seconds after they were heard of.
  visibilityLag: 4_000,
  // A worker that takes the workflow over reads all of it within the ten seconds of a workflow task. On a machine with
  // fifteen times the work that it can do, 4,200 events took longer, again and again: nothing was granted for four minutes.
  maxHistory: 2_000,
};

/** One of a run's arguments. */
export const PAGE_BYTES = 100_000;
