import type { StoredFile } from '../../contract/generation.ts';

/** A file in the store, with the key under which it lies there. */
export interface StoredOutput {
  key: string;
  stored: StoredFile;
}

/**
 * Where finished files are kept. Keys come from `output-key.ts`. Every method throws OutputStoreFailed when the
 * store itself is the trouble; what a source throws passes through `put` unchanged.
 */
export interface OutputStore {
  /** The folder or bucket, for messages. */
  readonly place: string;
  /**
   * Stores a whole file or nothing: until the source has ended well, the key keeps what it had. A second put of a
   * key replaces the file in one step; of concurrent ones the last wins.
   */
  put(key: string, source: AsyncIterable<Uint8Array>, meta: { contentType: string }): Promise<StoredFile>;
  /**
   * The complete file whose key is `base` and an extension, if there is one. Without the extension, because that
   * follows the file's real type, which is not known before it is downloaded.
   */
  find(base: string): Promise<StoredOutput | undefined>;
  /** The bytes from `start` up to, not including, `end` of a stored file. */
  read(key: string, start: number, end: number): Promise<Uint8Array>;
  /** Whether the store can be written to, so that a program finds out before anything is paid for. */
  check(): Promise<void>;
}

/** Whether a key is `base` and one extension. An extension has no dot, so `t-1.x-0.png` is not the file of `t-1`. */
export function belongsTo(base: string, key: string): boolean {
  return key.startsWith(`${base}.`) && /^[a-z0-9]{1,12}$/.test(key.slice(base.length + 1));
}
