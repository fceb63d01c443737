const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** What storing one task's outputs may take; docs/outputs.md explains each. */
export interface StoreLimits {
  /** Files that one record may list. No model makes more than five (api-specification), with variants twenty. */
  outputs: number;
  /** Files of a task that are fetched at a time. */
  downloads: number;
  /** Bytes of one file, and of all files of a task together. */
  fileBytes: number;
  taskBytes: number;
  /**
   * Milliseconds from a try's first byte in which it counts as quick: whoever is done by then waits for nobody who is
   * slow. What takes longer goes on, where it is, as one of those that may.
   */
  quick: number;
}

export const STORE_LIMITS: StoreLimits = {
  outputs: 64,
  downloads: 4,
  fileBytes: 2 * GIB,
  taskBytes: 8 * GIB,
  quick: 4_000,
};

/**
 * Tries that have taken longer than `StoreLimits.quick` and may go on, at a time: each holds one of the worker's 200
 * places for activities, and whoever serves the files decides how long it takes. Further ones come again later.
 */
export const MAX_LONG_TRIES = 60;

/** Bytes a second that a download must bring, in each span of its longest silence. */
export const MIN_RATE = 8 * 1024;

/** What a try that has only seconds fetches, in bytes of a file. */
export const SMALL_BYTES = 16 * MIB;

/** A longer `http:` URL is refused; a longer `data:` URI is not repeated in a result. In characters. */
export const MAX_URL = 8_192;
/** A `data:` URI, in characters: twice of what an answer of the API may hold. */
export const MAX_DATA_URI = 16 * MIB;

/**
 * What the files of all tasks may take of this process's memory. Measured: 128 streams of 20 MiB to the disk at full
 * speed 180 MB; an upload to S3 takes its parts, of which two are under way while a third one is read: 120 MiB; files
 * that come encoded take a window each.
 */
export const MEMORY_LIMITS = {
  /** Files that are fetched at a time by tries that have only seconds: what may take long never takes their places. */
  shortStreams: 32,
  /** Files that are fetched at a time in the first seconds of all other tries. Then they are slow: they hold little. */
  quickStreams: 48,
  /** Of an upload; a smaller file is one part. S3 takes 10,000 of them, so 80 GB. */
  partBytes: 8 * MIB,
  partsUnderWay: 2,
  /** Files of one part do not wait for those of many. */
  smallUploads: 6,
  largeUploads: 3,
  /** Windows of the files that are decoded at a time, together; further ones come again later. */
  windowBytes: 96 * MIB,
} as const;
