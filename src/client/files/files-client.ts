import type { FileInput } from '../../contract/file-input.ts';
import { ConnectedClient } from '../connected-client.ts';
import { endsOf, until } from '../following/ends-of.ts';
import type { CallOptions, Duration } from '../options.ts';
import { type Stored } from './client-files.ts';

/** Files in and out. */
export abstract class FilesClient extends ConnectedClient {
  /**
   * Puts a file into the store, once, as a request does that holds one.
   *
   * @returns what any request names it by, also one of a plain Temporal client: `darkroom:sha256/<hex>`
   * @throws OutputStoreFailed, FileChanged, what reading the file throws
   */
  async upload(file: FileInput, options: CallOptions = {}): Promise<string> {
    return await this.files.put(file, endsOf(options));
  }

  /**
   * The bytes of an output, from the store.
   *
   * @throws OutputStoreFailed and FileDamaged, while it is read
   */
  open(output: Stored, options: CallOptions = {}): ReadableStream<Uint8Array> {
    return this.files.open(output, endsOf(options));
  }

  /**
   * Writes an output to a file, or into a folder that is there; the file is there whole or not at all.
   *
   * @returns the file's path
   */
  async download(output: Stored, to: string, options: CallOptions = {}): Promise<string> {
    return await this.files.download(output, to, endsOf(options));
  }

  /**
   * A URL at which others find an output: signed for a bucket, for `expires` (24 hours when absent, at most seven days);
   * below DARKROOM_PUBLIC_OUTPUTS for a folder, where it does not expire.
   *
   * @throws TypeError where the store has no way for others
   */
  async url(
    output: Stored,
    { expires, ...options }: CallOptions & { expires?: Duration | undefined } = {},
  ): Promise<string> {
    return await until(endsOf(options), this.files.url(output, expires));
  }
}
