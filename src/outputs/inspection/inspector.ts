import pLimit from 'p-limit';
import type { InspectionJob } from './inspection-messages.ts';
import { type InspectionAnswer, InspectionProcess } from './inspection-process.ts';
import type { MediaFacts, MediaSource } from './media-facts.ts';
import { HEAD_BYTES, type MediaFormat } from './media-format.ts';

/** One that a bad file keeps busy leaves the other for everybody else. */
const PROCESSES = 2;

const turns = pLimit(PROCESSES);
const idle: InspectionProcess[] = [];

/**
 * Reads type, dimensions and duration from a file's bytes, in a process apart with bounds on time, memory and bytes:
 * whatever the file makes its readers do, nobody else notices. What cannot be told within those bounds is null.
 *
 * @throws only what `source.read` throws
 */
export async function inspectMedia(source: MediaSource): Promise<MediaFacts> {
  const answer = await ask({ kind: 'inspect', size: source.size }, source);
  if (answer !== null && 'format' in answer) return answer;
  const format = await sniffMedia(await source.read(0, Math.min(HEAD_BYTES, source.size)));
  return { format, contentType: format?.type ?? null, width: null, height: null, duration: null };
}

/** The format that a file's first bytes show, whatever anyone says about it; null for an unknown one. Told apart, too. */
export async function sniffMedia(head: Uint8Array): Promise<MediaFormat | null> {
  const answer = await ask({ kind: 'sniff', head: head.subarray(0, HEAD_BYTES) });
  return answer !== null && 'extension' in answer ? answer : null;
}

/** Starts a process before the first file needs it (0.3 s); where none can be started, it is said now. */
export function readyInspection(): void {
  void ask({ kind: 'sniff', head: new Uint8Array() });
}

async function ask(job: InspectionJob, source?: MediaSource): Promise<InspectionAnswer> {
  return await turns(async () => {
    const process = aliveOne() ?? (await InspectionProcess.start().catch(warn));
    if (process === null) return null; // stored all the same
    try {
      return await process.work(job, source);
    } finally {
      idle.push(process);
    }
  });
}

/** A process may also end while it has nothing to do, as when the system is short of memory. */
function aliveOne(): InspectionProcess | undefined {
  for (;;) {
    const process = idle.pop();
    if (process === undefined || process.alive) return process;
  }
}

function warn(error: Error): null {
  process.emitWarning(error);
  return null;
}
