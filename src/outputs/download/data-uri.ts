import { MAX_DATA_URI, STORE_LIMITS } from '../limits.ts';
import { OutputRefused, OutputTooLarge } from '../output-errors.ts';
import type { Download, DownloadOptions } from './download.ts';

/** How much of what a `data:` URI says of itself is shown. */
const SHOWN = 60;

export function isDataUri(url: string): boolean {
  return /^data:/i.test(url);
}

/** A `data:` URI without its data, for messages. */
export function shownDataUri(uri: string): string {
  return uri.slice(0, Math.min(SHOWN, uri.indexOf(',') + 1 || SHOWN)).replace(/,$/, '');
}

/**
 * The file that is written out in a `data:` URI, decoded as the Fetch standard says.
 *
 * @throws OutputRefused for one that is malformed or too large
 */
export async function openDataUri(
  uri: string,
  { maxBytes = STORE_LIMITS.fileBytes, onBytes }: DownloadOptions,
): Promise<Download> {
  if (uri.length > MAX_DATA_URI) throw new OutputRefused('the output is a data: URI that is too long');
  const answer = await fetch(uri).catch((error: unknown) => {
    throw new OutputRefused('the output is a data: URI that cannot be read', { cause: error });
  });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (bytes.byteLength > maxBytes) {
    throw new OutputTooLarge(`the output in its data: URI is larger than the limit of ${maxBytes} bytes`);
  }
  onBytes?.(bytes.byteLength);
  return {
    contentType: answer.headers.get('content-type')?.split(';', 1)[0] || null,
    contentLength: bytes.byteLength,
    endMarked: true,
    body: (async function* () {
      yield bytes;
    })(),
    close: async () => undefined,
  };
}
