import type { MediaFacts } from './media-facts.ts';
import type { MediaFormat } from './media-format.ts';

/** What there is to find out: the format of a file's first bytes, or all about a file, of which further ones are asked for. */
export interface InspectionJob {
  kind: 'sniff' | 'inspect';
  head: Uint8Array;
  size: number;
}

/** To the inspection's process: one job at a time, and the bytes that it asks for. Null: they are not to be had. */
export type ToInspection = InspectionJob | { kind: 'bytes'; id: number; bytes: Uint8Array | null };

/**
 * From it. `ready` once, when its libraries are loaded; `so far` when the file's format is known, for the case that the
 * rest takes too much; `done` once a job, with the answer to its kind.
 */
export type FromInspection =
  | { kind: 'ready' }
  | { kind: 'read'; id: number; start: number; end: number }
  | { kind: 'so far'; answer: MediaFacts }
  | { kind: 'done'; answer: MediaFacts | MediaFormat | null };
