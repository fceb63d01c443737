/** A run's id. The server refuses to look for anything else, so a run that named it would never get to its submit. */
export const RUN_ID = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** Bytes of a key: a workflow id is made of it, and a pipeline's steps put their names after that. */
export const MAX_KEY_BYTES = 200;

/** A pipeline's step; its name is a part of workflow ids. */
export const STEP_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** A run's history and result hold every generation; the server takes 2,000 open children and results of 2 MB. */
export const MOST_GENERATIONS = 1_000;

/**
 * A record's `data` over this, as JSON in UTF-8, is stored beside the outputs: the server refuses payloads over 2 MB for
 * ever, and histories hold many.
 */
export const MAX_DATA_BYTES = 256 * 1024;

/** Clocks of workers and receivers may differ by this much (milliseconds). */
export const CLOCK_TOLERANCE = 5_000;
