import mime from 'mime';
import type { OutputAsset } from '../api/output-assets.ts';
import type { GenerationOutput } from '../contract/generation.ts';
import { isDataUri } from './download/data-uri.ts';
import { type DownloadOptions, type DownloadRules, download } from './download/download.ts';
import { endsWhole } from './download/ends-whole.ts';
import { peek } from './download/peek.ts';
import { expectMedia } from './inspection/expect-media.ts';
import { inspectMedia, sniffMedia } from './inspection/inspector.ts';
import type { MediaFacts } from './inspection/media-facts.ts';
import { HEAD_BYTES, isCalled, type MediaFormat } from './inspection/media-format.ts';
import { MAX_URL } from './limits.ts';
import { OutputDelayed } from './output-errors.ts';
import type { OutputStore, StoredOutput } from './stores/output-store.ts';

const OCTETS = 'application/octet-stream';

export interface StoreOutputDeps {
  store: OutputStore;
  downloads: DownloadRules;
  /** Limits, cancellation and progress of the download. */
  options?: DownloadOptions;
}

/**
 * Downloads one output of a finished task into the store and completes what the record left open (type, dimensions,
 * duration) from the file itself. A file that the store already holds is not downloaded again, so this can be
 * retried at any point.
 *
 * What the record says stays, with one exception: a content type that the bytes prove wrong is corrected, because
 * the stored file's users go by it. (`data` in the result keeps the API's own word.)
 *
 * @param keyBase from `outputKeyBase`
 * @throws OutputError, whose subclasses say what can be done; the reason of `options.signal` when it was aborted
 */
export async function storeOutput(
  asset: OutputAsset,
  keyBase: string,
  deps: StoreOutputDeps,
): Promise<GenerationOutput> {
  const { store } = deps;
  const found = await store.find(keyBase);
  if (found !== undefined) deps.options?.onBytes?.(found.stored.bytes);
  const { key, stored } = found ?? (await fetchInto(asset, keyBase, deps));
  const facts = await inspectMedia({
    size: stored.bytes,
    read: (start, end) => store.read(key, start, end),
  });
  return {
    // A file that is written out in its URI would be in the result twice, with what it says of itself in `data`.
    url: asset.url.length > MAX_URL ? stored.uri : asset.url,
    contentType: settledType(asset, facts, key),
    width: asset.width ?? facts.width,
    height: asset.height ?? facts.height,
    duration: asset.duration ?? facts.duration,
    stored,
  };
}

async function fetchInto(asset: OutputAsset, keyBase: string, deps: StoreOutputDeps): Promise<StoredOutput> {
  const answer = await download(asset.url, deps.downloads, deps.options);
  try {
    const { head, whole } = await peek(answer.body, HEAD_BYTES);
    if (head.byteLength === 0) throw new OutputDelayed('the output is empty');
    const media = await sniffMedia(head);
    const path = isDataUri(asset.url) ? '' : new URL(asset.url).pathname;
    if (media === null || !/^(?:image|audio|video|model|font)\//.test(media.type))
      expectMedia(head, { contentType: asset.contentType, path });
    const declared = declaredType(asset);
    const contentType = media === null ? (declared ?? answer.contentType) : realType(media, declared);
    const extension = media?.extension ?? extensionFor([declared, path, answer.contentType]);
    const key = `${keyBase}.${extension}`;
    const source = answer.endMarked ? whole : endsWhole(whole, media);
    return { key, stored: await deps.store.put(key, source, { contentType: contentType ?? OCTETS }) };
  } finally {
    await answer.close();
  }
}

/** The type for the result: by the bytes; of unknown bytes, by what is said of them. */
function settledType(asset: OutputAsset, { format, contentType }: MediaFacts, key: string): string | null {
  const declared = declaredType(asset);
  if (format === null) return declared ?? (key.endsWith('.bin') ? null : mime.getType(key));
  return realType({ ...format, type: contentType ?? format.type }, declared);
}

/** The record's name for a format where it is one of its names, else the format's own. */
function realType(format: MediaFormat, declared: string | null): string {
  return declared !== null && isCalled(format, declared) ? declared : format.type;
}

/** The record's content type without parameters; null where it says nothing. */
function declaredType({ contentType }: OutputAsset): string | null {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type === '' || type === OCTETS ? null : type;
}

/** An extension for bytes of an unknown format, by the first content type or path that gives one. */
function extensionFor(hints: readonly (string | null)[]): string {
  for (const hint of hints) {
    const found = hint?.startsWith('/')
      ? /\.([a-z0-9]{1,12})$/i.exec(hint)?.[1]
      : mime.getExtension(hint ?? '');
    if (found && /^[a-z0-9]{1,12}$/i.test(found)) return found.toLowerCase();
  }
  return 'bin';
}
