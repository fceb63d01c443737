import { once } from 'node:events';
import pLimit from 'p-limit';
import type { OutputAsset } from '../api/records/output-assets.ts';
import type { GenerationOutput } from '../contract/generation.ts';
import type { StoreTaskReport, StoreTrouble } from '../contract/tasks/task-look.ts';
import type { DownloadOptions, DownloadRules } from './download/download.ts';
import { shownUrl } from './download/download-target.ts';
import { TaskInspection } from './inspection/task-inspection.ts';
import { MAX_LONG_TRIES, MEMORY_LIMITS, SMALL_BYTES, STORE_LIMITS, type StoreLimits } from './limits.ts';
import { OutputDelayed, OutputError, OutputRefused, OutputTooLarge } from './output-errors.ts';
import { storeOutput } from './store-output.ts';
import type { OutputStore } from './stores/output-store.ts';

export interface StoreTaskDeps {
  store: OutputStore;
  downloads: DownloadRules;
  /** Cancellation and progress of each download. */
  options?: Pick<DownloadOptions, 'signal' | 'onProgress' | 'idleTimeout'>;
  limits?: StoreLimits;
  /** Milliseconds that it may take: what takes longer, or is no small file, is `delayed`. */
  within?: number | undefined;
}

const TAKES_LONGER = 'it takes longer';
const shortStreams = pLimit(MEMORY_LIMITS.shortStreams);
const quickStreams = pLimit(MEMORY_LIMITS.quickStreams);
let longTries = 0;

/** Among whom a try's files are fetched, and when it has to leave what is left to a later one. */
interface Place {
  fetch: (fetching: () => Promise<void>) => Promise<void>;
  late: AbortSignal;
  maxBytes: number;
}

/** From the trouble that nothing helps against to the one that time helps against. */
const GRAVITY = ['refused', 'gone', 'delayed'] as const;

/**
 * One try to store all outputs of a task. Each is tried, whatever becomes of the others: what has been stored is found
 * again by the next try.
 *
 * @param keyBase the key of an output, from `outputKeyBase`
 * @returns all outputs, or of their troubles the one that decides: a refusal, else a URL that is gone, else a delay
 * @throws the reason of `options.signal` when it was aborted
 */
export async function storeTask(
  assets: readonly OutputAsset[],
  keyBase: (asset: OutputAsset) => string,
  deps: StoreTaskDeps,
): Promise<StoreTaskReport> {
  if (deps.within === undefined) return await storeInItsTime(assets, keyBase, deps);
  const { fileBytes } = deps.limits ?? STORE_LIMITS;
  return await tryToStore(assets, keyBase, deps, {
    fetch: (fetching) => shortStreams(fetching),
    late: AbortSignal.timeout(deps.within),
    maxBytes: Math.min(SMALL_BYTES, fileBytes),
  });
}

/** Begins among those that are quick, and goes on among those that take long, if there is a place. */
async function storeInItsTime(
  assets: readonly OutputAsset[],
  keyBase: (asset: OutputAsset) => string,
  deps: StoreTaskDeps,
): Promise<StoreTaskReport> {
  const { quick, fileBytes: maxBytes } = deps.limits ?? STORE_LIMITS;
  const late = new AbortController();
  const slow = Promise.withResolvers<void>();
  let isLong = false;
  let timer: NodeJS.Timeout | undefined;
  const takeLonger = (): void => {
    if (longTries >= MAX_LONG_TRIES) return late.abort();
    longTries += 1;
    isLong = true;
    slow.resolve();
  };
  const fetch = async (fetching: () => Promise<void>): Promise<void> => {
    let fetched: Promise<void> | undefined;
    await quickStreams(async () => {
      timer ??= setTimeout(takeLonger, quick);
      fetched = fetching();
      await Promise.race([fetched.catch(() => undefined), slow.promise]);
    });
    await fetched;
  };
  try {
    const report = await tryToStore(assets, keyBase, deps, { fetch, late: late.signal, maxBytes });
    if (report.kind === 'stored' || report.reason !== TAKES_LONGER) return report;
    const reason = `this worker is busy with the files of ${MAX_LONG_TRIES} other tasks, and these take longer`;
    return { kind: 'delayed', reason, url: null, untried: true };
  } finally {
    clearTimeout(timer);
    if (isLong) longTries -= 1;
  }
}

async function tryToStore(
  assets: readonly OutputAsset[],
  keyBase: (asset: OutputAsset) => string,
  { store, downloads, options = {}, limits = STORE_LIMITS }: StoreTaskDeps,
  { fetch, late, maxBytes }: Place,
): Promise<StoreTaskReport> {
  const { length } = assets;
  if (length > limits.outputs) {
    const message = `the task lists ${length} outputs, more than the ${limits.outputs} that are stored of one`;
    return troubleOf(new OutputRefused(message), assets[limits.outputs]);
  }
  const stop = new AbortController();
  const signal = AbortSignal.any([
    stop.signal,
    late,
    ...(options.signal === undefined ? [] : [options.signal]),
  ]);
  const context = {
    store,
    downloads,
    options: { ...options, signal, maxBytes, onBytes: countUpTo(limits.taskBytes) },
    inspection: new TaskInspection(signal),
  };
  const outputs: GenerationOutput[] = [];
  const troubles: StoreTrouble[] = [];
  const storeAt = async (index: number, asset: OutputAsset): Promise<void> => {
    try {
      signal.throwIfAborted();
      outputs[index] = await storeOutput(asset, keyBase(asset), context);
    } catch (error) {
      if (!(error instanceof OutputError)) {
        stop.abort(error);
        throw error;
      }
      const isForLater = error instanceof OutputTooLarge && maxBytes < limits.fileBytes;
      troubles.push(troubleOf(isForLater ? new OutputDelayed(TAKES_LONGER) : error, asset));
    }
  };
  const turns = pLimit(limits.downloads);
  const storing = Promise.all(assets.map((asset, index) => turns(() => fetch(() => storeAt(index, asset)))));
  try {
    await Promise.race([storing, untilAborted(late)]);
  } catch (error) {
    if (late.aborted && options.signal?.aborted !== true) {
      return { kind: 'delayed', reason: TAKES_LONGER, url: null };
    }
    throw error;
  }
  const [worst] = troubles.toSorted((a, b) => GRAVITY.indexOf(a.kind) - GRAVITY.indexOf(b.kind));
  if (worst === undefined) return { kind: 'stored', outputs };
  const stored = length - troubles.length;
  return stored === 0
    ? worst
    : { ...worst, reason: `${worst.reason} (of the task's ${length} files ${stored} are stored)` };
}

/** What an error says, as data; of one output, where it is about one. */
export function troubleOf(error: OutputError, asset?: OutputAsset): StoreTrouble {
  const { kind, message: reason, status, retryAfter } = error;
  return {
    kind,
    reason,
    url: shownUrl(asset?.url ?? '') || null,
    ...(status === undefined ? {} : { status }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}

/** Counts the bytes of all files of a task. @throws OutputRefused beyond the limit */
function countUpTo(limit: number): (bytes: number) => void {
  let total = 0;
  return (bytes) => {
    total += bytes;
    if (total > limit) {
      throw new OutputRefused(`the task's outputs are together larger than the limit of ${limit} bytes`);
    }
  };
}
