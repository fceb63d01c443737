import type { Files } from '../files/files.ts';
import { UnreadableMediaError } from './unreadable-media-error.ts';

/** Milliseconds for one input file. */
const TIMEOUT = 20_000;
const MOST_BYTES = 100 * 1024 * 1024;

/** Fetches the files that inputs name by URL. */
export class InputMedia {
  readonly #files: Files;
  readonly #origin: () => string;

  constructor(files: Files, origin: () => string) {
    this.#files = files;
    this.#origin = origin;
  }

  /**
   * The bytes behind a URL; the emulator's own files are read without HTTP.
   *
   * @throws UnreadableMediaError when the URL is none, cannot be reached or leads to too much
   */
  async fetch(url: string): Promise<Uint8Array> {
    const own = `${this.#origin()}/files/`;
    if (url.startsWith(own)) {
      const served = this.#files.find(new URL(url).pathname);
      if (served === undefined) throw new UnreadableMediaError(`There is no file at ${url}`);
      return await this.#files.read(served.file);
    }
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
      throw new UnreadableMediaError(`${url} is not an http(s) URL`);
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT) });
      if (!response.ok || response.body === null) {
        await response.body?.cancel();
        throw new UnreadableMediaError(`${url} answers ${response.status}`);
      }
      return await limited(url, response.body);
    } catch (error) {
      if (error instanceof UnreadableMediaError) throw error;
      throw new UnreadableMediaError(`${url} cannot be fetched`, { cause: error });
    }
  }
}

async function limited(url: string, body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new UnreadableMediaError(`${url} has more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
