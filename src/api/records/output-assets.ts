import { isRecord } from '../json/is-record.ts';

/** One produced file, whatever shape the record's `data` had. Lengths in pixels, `duration` in seconds. */
export interface OutputAsset {
  /** `http:`, `https:` or `data:` where it can be fetched; the API may send others. */
  url: string;
  contentType: string | null;
  width: number | null;
  height: number | null;
  duration: number | null;
}

/** A URI of any scheme: which ones can be fetched is not decided here, and one that is left out would be lost unseen. */
const URI = /^[a-z][a-z0-9+.-]*:\S/i;

/** A video's object may have pictures beside it (further properties are allowed), so videos are looked for first. */
const KINDS = ['video', 'image', 'audio'] as const;

/**
 * The files of a record's `data`: a bare URI, an image, video or audio object. Anything else gives what can be
 * found there (a list of such, `url` at the top) or an empty list; it never throws, because `data` is the API's to
 * change.
 */
export function outputAssets(data: unknown): OutputAsset[] {
  if (Array.isArray(data)) return data.flatMap(asset);
  if (!isRecord(data)) return asset(data);
  const kinds = [...KINDS.filter((kind) => kind === data['type']), ...KINDS];
  for (const key of kinds.flatMap((kind) => [`${kind}s`, kind])) {
    const found = [data[key]].flat().flatMap(asset);
    if (found.length > 0) return found;
  }
  return asset(data);
}

function asset(value: unknown): OutputAsset[] {
  const fields = typeof value === 'string' ? { url: value } : value;
  if (!isRecord(fields) || typeof fields['url'] !== 'string' || !URI.test(fields['url'])) return [];
  return [
    {
      url: fields['url'],
      contentType: typeof fields['content_type'] === 'string' ? fields['content_type'] : null,
      width: numberOrNull(fields['width']),
      height: numberOrNull(fields['height']),
      duration: numberOrNull(fields['duration']),
    },
  ];
}

/** The files at URLs of which nothing else is known. */
export function assetsAt(urls: readonly string[]): OutputAsset[] {
  return urls.flatMap(asset);
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
