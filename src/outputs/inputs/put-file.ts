import { fileReference, inputKey } from '../../api/input/file-references.ts';
import type { OutputStore } from '../stores/output-store.ts';
import { type FileSource, hashSource } from './file-source.ts';

/**
 * Puts a file into the store under its SHA-256, once: one that is there already is not uploaded again.
 *
 * @returns how a request names it: `darkroom:sha256/<hex>`
 * @throws FileChanged, OutputStoreFailed; TypeError for an empty file
 */
export async function putFile(store: OutputStore, source: FileSource): Promise<string> {
  if (source.bytes === 0) throw new TypeError('the file is empty');
  const { sha256 } = await hashSource(source);
  const key = inputKey(sha256);
  const there = await store.stat(key);
  if (there?.bytes !== source.bytes) await store.upload(key, source, sha256);
  return fileReference(sha256);
}
