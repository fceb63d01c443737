import type { OutputAsset } from '../api/records/output-assets.ts';
import type { GenerationOutput, StoredFile } from '../contract/generation.ts';
import { isDataUri } from './download/data-uri.ts';
import { type DownloadOptions, type DownloadRules, download } from './download/download.ts';
import { endsWhole } from './download/ends-whole.ts';
import { peek } from './download/peek.ts';
import { typeOfFile } from './file-type.ts';
import { expectMedia } from './inspection/expect-media.ts';
import { FIRST_BYTES } from './inspection/inspection-process.ts';
import { sniffMedia } from './inspection/inspector.ts';
import { bytesAsSource, type MediaFacts } from './inspection/media-facts.ts';
import { HEAD_BYTES, isMedia } from './inspection/media-format.ts';
import { TaskInspection } from './inspection/task-inspection.ts';
import { MAX_URL } from './limits.ts';
import { OutputDelayed } from './output-errors.ts';
import { stemOfSamePath } from './output-key.ts';
import type { OutputStore, StoredOutput } from './stores/output-store.ts';
import { type Digest, sha256Of } from './stores/write-hashed.ts';

export interface StoreOutputDeps {
  store: OutputStore;
  downloads: DownloadRules;
  /** Limits, cancellation and progress of the download. */
  options?: DownloadOptions;
  /** Of the task's files. */
  inspection?: TaskInspection;
}

/**
 * Downloads one output of a finished task into the store and completes what the record left open (type, dimensions,
 * duration) from the file itself. A file that the store already holds is not downloaded again, so this can be
 * retried at any point.
 *
 * What the record says stays, with one exception: a content type that the bytes prove wrong is corrected, because
 * the stored file's users go by it. (`data` in the result keeps the API's own word.)
 *
 * A URL with a parameter that another look has not seen may be that of a file which is there: the bytes tell, and then
 * nothing is stored anew.
 *
 * @param keyBase from `outputKeyBase`
 * @throws OutputError, whose subclasses say what can be done; the reason of `options.signal` when it was aborted
 */
export async function storeOutput(
  asset: OutputAsset,
  keyBase: string,
  deps: StoreOutputDeps,
): Promise<GenerationOutput> {
  const { store, inspection = new TaskInspection() } = deps;
  const found = await store.find(keyBase);
  if (found !== undefined) deps.options?.onBytes?.(found.stored.bytes);
  const { key, stored, looked }: Fetched =
    found ?? (await fetchInto(asset, keyBase, { ...deps, inspection }));
  const facts = await (looked ??
    inspection.inspect(stored.sha256, {
      size: stored.bytes,
      read: (start, end) => store.read(key, start, end),
    }));
  // Whether there is a picture in a film is known only now.
  const format = facts.format && { ...facts.format, type: facts.contentType ?? facts.format.type };
  return {
    // A file that is written out in its URI would be in the result twice, with what it says of itself in `data`.
    url: asset.url.length > MAX_URL ? stored.uri : asset.url,
    contentType: typeOfFile({ format }, { declared: asset.contentType, path: key, served: null }).contentType,
    width: asset.width ?? facts.width,
    height: asset.height ?? facts.height,
    duration: asset.duration ?? facts.duration,
    stored,
  };
}

interface Fetched extends StoredOutput {
  /** What a small file tells: it is looked into while it is stored. */
  looked?: Promise<MediaFacts> | undefined;
}

async function fetchInto(
  asset: OutputAsset,
  keyBase: string,
  deps: StoreOutputDeps & { inspection: TaskInspection },
): Promise<Fetched> {
  const answer = await download(asset.url, deps.downloads, deps.options);
  try {
    const { head, isAll, whole } = await peek(answer.body, FIRST_BYTES);
    if (head.byteLength === 0) throw new OutputDelayed('the output is empty');
    const format = await sniffMedia(head, deps.options?.signal);
    const path = isDataUri(asset.url) ? '' : new URL(asset.url).pathname;
    const text = isMedia(format)
      ? undefined
      : expectMedia(head.subarray(0, HEAD_BYTES), {
          contentType: asset.contentType,
          path,
          served: answer.contentType,
        });
    const said = { declared: asset.contentType, path, served: answer.contentType };
    const { contentType, extension } = typeOfFile({ format, text }, said);
    const key = `${keyBase}.${extension}`;
    const source = answer.endMarked ? whole : endsWhole(whole, format);
    const stem = stemOfSamePath(keyBase, asset.url);
    let same: StoredOutput | undefined;
    const unless = async (digest: Digest): Promise<StoredFile | undefined> => {
      same = stem === undefined ? undefined : await deps.store.findSame(stem, digest);
      return same?.stored;
    };
    const looked = isAll ? deps.inspection.inspect(sha256Of(head), bytesAsSource(head)) : undefined;
    looked?.catch(() => undefined); // where it cannot be stored, that is what is told
    const stored = await deps.store.put(key, source, { contentType, unless });
    return { ...(same ?? { key, stored }), looked };
  } finally {
    await answer.close();
  }
}
