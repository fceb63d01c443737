import pLimit, { type LimitFunction } from 'p-limit';
import type { InspectionJob } from './inspection-messages.ts';
import { type InspectionAnswer, InspectionProcess } from './inspection-process.ts';
import type { MediaFacts, MediaSource } from './media-facts.ts';
import { HEAD_BYTES, type MediaFormat } from './media-format.ts';

/** Files that are looked into one after the other, by a process of their own. */
interface Lane {
  turns: LimitFunction;
  /** Milliseconds for a file, the reading included. */
  limit: number;
  process: Promise<InspectionProcess | null> | undefined;
}

/** Every file begins here: an ordinary one takes 2 to 50 ms, and waits for others of its kind alone. */
const quick: Lane = { turns: pLimit(1), limit: 500, process: undefined };
/** What has taken too long there has another go here. */
const patient: Lane = { turns: pLimit(1), limit: 4_000, process: undefined };
/** More than these do not wait: strangers' files are not to hold up what was paid for by minutes. */
const MAX_WAITING = 8;

/**
 * Reads type, dimensions and duration from a file's bytes, in a process apart with bounds on time, memory and bytes:
 * whatever the file makes its readers do, nobody else notices. What cannot be told within those bounds is null.
 *
 * @throws only what `source.read` throws
 */
export async function inspectMedia(source: MediaSource): Promise<MediaFacts> {
  const job = { kind: 'inspect', size: source.size } as const;
  let { found, ended } = await ask(quick, job, source);
  if (ended && patient.turns.pendingCount < MAX_WAITING) ({ found } = await ask(patient, job, source));
  if (found !== null && 'format' in found) return found;
  const format = await sniffMedia(await source.read(0, Math.min(HEAD_BYTES, source.size)));
  return { format, contentType: format?.type ?? null, width: null, height: null, duration: null };
}

/** The format that a file's first bytes show, whatever anyone says about it; null for an unknown one. Told apart, too. */
export async function sniffMedia(head: Uint8Array): Promise<MediaFormat | null> {
  const { found } = await ask(quick, { kind: 'sniff', head: head.subarray(0, HEAD_BYTES) });
  return found !== null && 'extension' in found ? found : null;
}

/** Starts a process before the first file needs it (0.3 s); where none can be started, it is said now. */
export function readyInspection(): void {
  void ask(quick, { kind: 'sniff', head: new Uint8Array() });
}

async function ask(lane: Lane, job: InspectionJob, source?: MediaSource): Promise<InspectionAnswer> {
  return await lane.turns(async () => {
    // A process may also end while it has nothing to do, as when the system is short of memory.
    if ((await lane.process)?.alive !== true) lane.process = InspectionProcess.start().catch(warn);
    const process = await lane.process;
    if (!process) return { found: null, ended: false }; // stored all the same
    const answer = await process.work(job, lane.limit, source);
    if (answer.ended) lane.process = InspectionProcess.start().catch(warn); // the next file finds it started
    return answer;
  });
}

function warn(error: Error): null {
  process.emitWarning(error);
  return null;
}
