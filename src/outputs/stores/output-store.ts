import type { StoredFile } from '../../contract/generation.ts';
import type { FileSource } from '../inputs/file-source.ts';
import type { Digest } from './write-hashed.ts';

/** A file in the store, with the key under which it lies there. */
export interface StoredOutput {
  key: string;
  stored: StoredFile;
}

export interface PutOptions {
  contentType: string;
  /** Asked once the whole file is known: where it is in the store already, it is not stored. */
  unless?: (digest: Digest) => Promise<StoredFile | undefined>;
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
   *
   * @returns the stored file; the one that `unless` has named, where it did, and then nothing is stored
   */
  put(key: string, source: AsyncIterable<Uint8Array>, meta: PutOptions): Promise<StoredFile>;
  /**
   * The complete file whose key is `base` and an extension, if there is one. Without the extension, because that
   * follows the file's real type, which is not known before it is downloaded.
   */
  find(base: string): Promise<StoredOutput | undefined>;
  /** The complete file with these bytes whose key begins with `stem` and goes on with letters, digits and one dot. */
  findSame(stem: string, digest: Digest): Promise<StoredOutput | undefined>;
  /** The files whose keys are `folder`, a slash and a name, and when each was stored (milliseconds since the epoch). */
  list(folder: string): Promise<{ key: string; storedAt: number }[]>;
  /** The bytes from `start` up to, not including, `end` of a stored file. */
  read(key: string, start: number, end: number): Promise<Uint8Array>;
  /** How large the file under a key is; undefined where there is none. */
  stat(key: string): Promise<{ bytes: number } | undefined>;
  /** The URI of what lies under a key, or would. */
  uriOf(key: string): string;
  /**
   * Uploads a file whose key says its content, as `put` does a download; one that was killed is gone on with.
   *
   * @throws FileChanged, too
   */
  upload(key: string, source: FileSource, sha256: string): Promise<void>;
  /** Whether the store can be written to, so that a program finds out before anything is paid for. */
  check(): Promise<void>;
}

/** Whether a key is `base` and one extension. An extension has no dot, so `t-1.x-0.png` is not the file of `t-1`. */
export function belongsTo(base: string, key: string): boolean {
  return key.startsWith(`${base}.`) && /^[a-z0-9]{1,12}$/.test(key.slice(base.length + 1));
}

/** Whether a key is `stem`, the rest of a name, and an extension. */
export function beginsWith(stem: string, key: string): boolean {
  return key.startsWith(stem) && /^[a-z0-9]+\.[a-z0-9]{1,12}$/.test(key.slice(stem.length));
}
