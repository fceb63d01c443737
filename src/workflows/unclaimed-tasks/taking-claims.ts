import type { KeptClaim } from '../../contract/entities/unclaimed-tasks.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import type { Memory } from './memory.ts';
import type { ReadClaim } from './read-messages.ts';

/** Delayed events make a claim wait anew, but not longer than so many times its wait in all. */
const MAX_WAITS = 10;

/**
 * A claim, or one that is repeated: by the same run while it asks a person, by its Reset's run, which takes its place and
 * looks for the task of the same submit.
 */
export function takeClaim(memory: Memory, { shape, ...claim }: ReadClaim, now: number): void {
  const { claimId, runId, since, wait } = claim;
  const { grants, looked, seekers, tasks } = memory;
  if (grants.of(claimId) !== undefined) return;
  const { open, former, models } = seekers;
  models.learn(claim.model, shape);
  const other = open.of(claim.workflowId);
  // The run has got on since: this one comes late.
  if (other !== undefined && other.claimId !== claimId && other.runId === runId && since < other.since)
    return;
  // Another start of the workflow id: that run was ended, and what it has lost may be another submit.
  const isEnded = other !== undefined && other.firstRunId !== claim.firstRunId;
  const goesOnFor = other?.claimId === claimId || other?.runId !== runId;
  const earlier = goesOnFor && !isEnded ? other : undefined;
  const goesOn = earlier?.runId === runId;
  const kept: KeptClaim = {
    ...claim,
    since: Math.min(since, earlier?.since ?? since),
    looksFrom: goesOn ? earlier.looksFrom : looked,
    looksUntilAtMost: goesOn ? earlier.looksUntilAtMost : looked + MAX_WAITS * wait,
    ...(goesOn && earlier.delayed ? { delayed: true } : {}),
    ...(earlier?.claimId === claimId && earlier.toldNothing ? { toldNothing: true } : {}),
  };
  if (!hasRoomFor(memory, kept, other)) {
    memory.alarms.counts.refused += 1;
    return;
  }
  if (isEnded) memory.leave(other, now, 'closed');
  else if (other !== undefined) open.delete(other.claimId);
  former.delete(claimId);
  open.put(kept);
  for (const task of tasks.values()) if (seekers.fits(task, kept)) memory.lookAt(task, now);
}

/** Where there is none, the claims of those who ask a person go first: they come again. */
function hasRoomFor(
  { looked, limits, seekers: { open } }: Memory,
  claim: KeptClaim,
  replaced: KeptClaim | undefined,
): boolean {
  const size = jsonBytes(claim) - (replaced === undefined ? 0 : jsonBytes(replaced));
  const hasRoom = (): boolean => open.bytes + size <= limits.claimBytes;
  for (const { claimId, looksFrom, wait } of hasRoom() ? [] : [...open.values()]) {
    if (looked < looksFrom + wait || claimId === replaced?.claimId) continue;
    open.delete(claimId);
    if (hasRoom()) break;
  }
  return hasRoom();
}
