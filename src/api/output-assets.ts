/** One produced file, whatever shape the record's `data` had. Lengths in pixels, `duration` in seconds. */
export interface OutputAsset {
  url: string;
  contentType: string | null;
  width: number | null;
  height: number | null;
  duration: number | null;
}

const LISTS = ['images', 'videos', 'audios'] as const;
const SINGLES = ['image', 'video', 'audio'] as const;

/**
 * The files of a record's `data`: a bare URI, an image, video or audio object. Anything else gives what can be
 * found there (`url` at the top) or an empty list; it never throws, because `data` is the API's to change.
 */
export function outputAssets(data: unknown): OutputAsset[] {
  if (typeof data === 'string') return asset({ url: data });
  if (!isObject(data)) return [];
  for (const key of LISTS) {
    const list = data[key];
    if (Array.isArray(list) && list.length > 0) return list.flatMap(asset);
  }
  for (const key of SINGLES) {
    const found = asset(data[key]);
    if (found.length > 0) return found;
  }
  return asset(data);
}

function asset(value: unknown): OutputAsset[] {
  const fields = typeof value === 'string' ? { url: value } : value;
  if (!isObject(fields) || typeof fields['url'] !== 'string' || !/^https?:\/\//i.test(fields['url']))
    return [];
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

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
