import { isRecord } from '../api/json/is-record.ts';
import type { StoredFile } from './generation.ts';

/** A file of this machine, for a field that takes a URL: `file('photo.png')`. */
export class LocalFile {
  readonly path: string;
  readonly contentType: string | undefined;

  /** @param contentType by the name's extension when absent */
  constructor(path: string, contentType?: string) {
    this.path = path;
    this.contentType = contentType;
  }

  /** Only a client can upload it. */
  toJSON(): never {
    throw new TypeError(
      `${this.path} is a file of this machine, which DarkroomClient uploads: start what it is for with it`,
    );
  }
}

/**
 * What a client takes where a field takes a URL, beside the URL: a file of this machine, bytes, a stream, or a stored
 * result. Uploaded is what is not in the store yet; a request names it by its content.
 */
export type FileInput =
  | LocalFile
  | Uint8Array
  | Blob
  | AsyncIterable<Uint8Array>
  | { readonly stored: StoredFile }
  | StoredFile;

export function isFileInput(value: unknown): value is FileInput {
  return isUpload(value) || storedFile(value) !== undefined;
}

/** Whether it is not in the store yet, or not known to be. */
export function isUpload(value: unknown): value is LocalFile | Uint8Array | Blob | AsyncIterable<Uint8Array> {
  if (typeof value !== 'object' || value === null) return false;
  return (
    value instanceof LocalFile ||
    value instanceof Uint8Array ||
    // Workflows, in which pipelines may be defined, have none.
    (typeof Blob !== 'undefined' && value instanceof Blob) ||
    Symbol.asyncIterator in value
  );
}

/** The stored file that a value is, or an output's; else undefined. */
export function storedFile(value: unknown): StoredFile | undefined {
  const stored = isRecord(value) && isRecord(value['stored']) ? value['stored'] : value;
  return isStoredFile(stored) ? stored : undefined;
}

function isStoredFile(value: unknown): value is StoredFile {
  return (
    isRecord(value) &&
    typeof value['uri'] === 'string' &&
    typeof value['sha256'] === 'string' &&
    typeof value['bytes'] === 'number'
  );
}
