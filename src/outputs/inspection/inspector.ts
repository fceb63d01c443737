import pLimit, { type LimitFunction } from 'p-limit';
import type { InspectionJob } from './inspection-messages.ts';
import { type InspectionAnswer, InspectionProcess } from './inspection-process.ts';
import { bytesAsSource, type MediaFacts, type MediaSource } from './media-facts.ts';
import { HEAD_BYTES, type MediaFormat } from './media-format.ts';

/** Files that are looked into one after the other, by a process of their own while there are any. */
interface Lane {
  turns: LimitFunction;
  /** Milliseconds for a file, the reading included. */
  limit: number;
  /** Whether another process is kept started, from when the first was ended over a file. */
  hasSpare: boolean;
  process?: Started | undefined;
  spare?: Started | undefined;
  idle?: NodeJS.Timeout;
}

type Started = Promise<InspectionProcess | null>;

export interface InspectionOptions {
  /** Whoever has given up asking gets no turn. */
  signal?: AbortSignal | undefined;
  /** Others of its kind have ended the reader: it is for the patient lane alone. */
  isSuspect?: boolean;
}

/** More than these do not wait: strangers' files are not to hold up what was paid for by minutes. */
const MAX_WAITING = 8;
/** A process that has had nothing to do for so long is ended: it takes 70 MB (milliseconds). */
const IDLE = 60_000;

/**
 * Looks into files in processes apart: one as a rule, which starts with the first file and ends when there are none for
 * a while.
 */
export class Inspector {
  readonly #idle: number;
  /** Every file begins here: an ordinary one takes 2 to 50 ms. */
  readonly #usual: Lane = { turns: pLimit(1), limit: 500, hasSpare: true };
  /** What has taken too long there has another go here. */
  readonly #patient: Lane = { turns: pLimit(1), limit: 3_000, hasSpare: false };
  /** One file at a time asks for a turn, so that the first bytes of others, which are to be stored, wait for no more. */
  readonly #files = pLimit(1);

  /** @param idle milliseconds without a file after which a process is ended */
  constructor({ idle = IDLE }: { idle?: number } = {}) {
    this.#idle = idle;
  }

  /**
   * Reads type, dimensions and duration from a file's bytes, in a process apart with bounds on time, memory and bytes:
   * whatever the file makes its readers do, nobody else notices. What cannot be told within those bounds is null.
   *
   * @returns `ended`: the file has ended its reader
   * @throws what `source.read` throws; the reason of `signal`
   */
  async inspect(
    source: MediaSource,
    { signal, isSuspect = false }: InspectionOptions = {},
  ): Promise<MediaFacts & { ended: boolean }> {
    let { found, ended }: InspectionAnswer = isSuspect
      ? { found: null, ended: true }
      : await this.#files(() => this.#ask(this.#usual, 'inspect', source, signal));
    if (ended && this.#patient.turns.pendingCount < MAX_WAITING) {
      ({ found } = await this.#ask(this.#patient, 'inspect', source, signal));
    }
    if (found !== null && 'format' in found) return { ...found, ended };
    const format = await this.sniff(await source.read(0, Math.min(HEAD_BYTES, source.size)), signal);
    return { format, contentType: format?.type ?? null, width: null, height: null, duration: null, ended };
  }

  /** The format that a file's first bytes show, whatever anyone says about it; null for an unknown one. Told apart, too. */
  async sniff(head: Uint8Array, signal?: AbortSignal): Promise<MediaFormat | null> {
    const { found } = await this.#ask(
      this.#usual,
      'sniff',
      bytesAsSource(head.subarray(0, HEAD_BYTES)),
      signal,
    );
    return found !== null && 'extension' in found ? found : null;
  }

  /** Starts the process for a file that will come soon (it takes 0.3 s). */
  ready(): void {
    if (this.#usual.process === undefined) void this.sniff(new Uint8Array());
  }

  async #ask(
    lane: Lane,
    kind: InspectionJob['kind'],
    source: MediaSource,
    signal: AbortSignal | undefined,
  ): Promise<InspectionAnswer> {
    return await lane.turns(async () => {
      signal?.throwIfAborted();
      clearTimeout(lane.idle);
      try {
        // A process may also end while it has nothing to do, as when the system is short of memory.
        if ((await lane.process)?.alive !== true) lane.process = start();
        const process = await lane.process;
        if (!process) return { found: null, ended: false }; // stored all the same
        const answer = await process.work(kind, source, lane.limit);
        if (answer.ended) {
          lane.process = lane.spare ?? start(); // the next file finds it started
          if (lane.hasSpare) lane.spare = start();
        }
        return answer;
      } finally {
        lane.idle = setTimeout(() => this.#end(lane), this.#idle).unref();
      }
    });
  }

  #end(lane: Lane): void {
    if (lane.turns.activeCount > 0) return; // it is planned anew
    for (const started of [lane.process, lane.spare]) void started?.then((process) => process?.end());
    lane.process = undefined;
    lane.spare = undefined;
  }
}

/** One serves a whole process. */
const inspector = new Inspector();

/** As `Inspector.inspect`. */
export async function inspectMedia(
  source: MediaSource,
  options?: InspectionOptions,
): Promise<MediaFacts & { ended: boolean }> {
  return await inspector.inspect(source, options);
}

/** As `Inspector.sniff`. */
export async function sniffMedia(head: Uint8Array, signal?: AbortSignal): Promise<MediaFormat | null> {
  return await inspector.sniff(head, signal);
}

/** As `Inspector.ready`. */
export function readyInspection(): void {
  inspector.ready();
}

async function start(): Started {
  return await InspectionProcess.start().catch(warn);
}

function warn(error: Error): null {
  process.emitWarning(error);
  return null;
}
