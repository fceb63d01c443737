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
  /** The next one, from when the first was ended over a file. */
  spare?: Promise<InspectionProcess | null>;
}

export interface InspectionOptions {
  /** Whoever has given up asking gets no turn. */
  signal?: AbortSignal | undefined;
  /** Others of its kind have ended the reader: it is for the patient lane alone. */
  isSuspect?: boolean;
}

/** A file's first bytes are looked at here, before it is stored: what is in the rest of others holds it up nowhere. */
const heads: Lane = { turns: pLimit(1), limit: 500, process: undefined };
/** Every file begins here: an ordinary one takes 2 to 50 ms, and waits for others of its kind alone. */
const quick: Lane = { turns: pLimit(1), limit: 500, process: undefined };
/** What has taken too long there has another go here. */
const patient: Lane = { turns: pLimit(1), limit: 3_000, process: undefined };
/** More than these do not wait: strangers' files are not to hold up what was paid for by minutes. */
const MAX_WAITING = 8;

/**
 * Reads type, dimensions and duration from a file's bytes, in a process apart with bounds on time, memory and bytes:
 * whatever the file makes its readers do, nobody else notices. What cannot be told within those bounds is null.
 *
 * @returns `ended`: the file has ended its reader
 * @throws what `source.read` throws; the reason of `signal`
 */
export async function inspectMedia(
  source: MediaSource,
  { signal, isSuspect = false }: InspectionOptions = {},
): Promise<MediaFacts & { ended: boolean }> {
  const job = { kind: 'inspect', size: source.size } as const;
  let { found, ended }: InspectionAnswer = isSuspect
    ? { found: null, ended: true }
    : await ask(quick, job, { source, signal });
  if (ended && patient.turns.pendingCount < MAX_WAITING) {
    ({ found } = await ask(patient, job, { source, signal }));
  }
  if (found !== null && 'format' in found) return { ...found, ended };
  const format = await sniffMedia(await source.read(0, Math.min(HEAD_BYTES, source.size)), signal);
  return { format, contentType: format?.type ?? null, width: null, height: null, duration: null, ended };
}

/** The format that a file's first bytes show, whatever anyone says about it; null for an unknown one. Told apart, too. */
export async function sniffMedia(head: Uint8Array, signal?: AbortSignal): Promise<MediaFormat | null> {
  const { found } = await ask(heads, { kind: 'sniff', head: head.subarray(0, HEAD_BYTES) }, { signal });
  return found !== null && 'extension' in found ? found : null;
}

/** Starts the processes before the first file needs them (0.3 s); where none can be started, it is said now. */
export function readyInspection(): void {
  for (const lane of [heads, quick]) void ask(lane, { kind: 'sniff', head: new Uint8Array() });
}

async function ask(
  lane: Lane,
  job: InspectionJob,
  { source, signal }: { source?: MediaSource; signal?: AbortSignal | undefined } = {},
): Promise<InspectionAnswer> {
  return await lane.turns(async () => {
    signal?.throwIfAborted();
    // A process may also end while it has nothing to do, as when the system is short of memory.
    if ((await lane.process)?.alive !== true) lane.process = start();
    const process = await lane.process;
    if (!process) return { found: null, ended: false }; // stored all the same
    const answer = await process.work(job, lane.limit, source);
    if (answer.ended) {
      lane.process = lane.spare ?? start(); // the next file finds it started
      if (lane === quick) lane.spare = start();
    }
    return answer;
  });
}

async function start(): Promise<InspectionProcess | null> {
  return await InspectionProcess.start().catch(warn);
}

function warn(error: Error): null {
  process.emitWarning(error);
  return null;
}
