import type { UnknownSubmit } from './purchases.ts';

/**
 * The unknown submits of some runs, newest first. One that a run was handed by the run that it goes on for may be told by
 * both: how it stands by the later one, and when it was claimed by the other one.
 */
export function doubtsOf(
  runs: readonly { runId: string; unknownSubmits: readonly UnknownSubmit[] }[],
): UnknownSubmit[] {
  const doubts: UnknownSubmit[] = [];
  for (const run of runs)
    for (const submit of run.unknownSubmits.toReversed()) {
      const one = { runId: run.runId, ...submit };
      const later = doubts.find((other) => isSameSubmit(one, other));
      if (later === undefined) {
        doubts.push(one);
        continue;
      }
      later.runId ??= one.runId;
      if (one.claimedAt !== undefined) later.claimedAt ??= one.claimedAt;
    }
  return doubts;
}

/**
 * A run whose worker was lost dates the submit by its own clock. One that has no end on record may be the copy that a Reset
 * has made of it: that is another submit, of the same time.
 */
function isSameSubmit(one: UnknownSubmit, other: UnknownSubmit): boolean {
  const isNamed = one.activityId !== '' && one.runId !== undefined;
  return (
    (one.recorded && other.recorded && one.since === other.since) ||
    (isNamed && one.activityId === other.activityId && one.runId === other.runId)
  );
}
