/** A run's id. The server refuses to look for anything else, so a run that named it would never get to its submit. */
export const RUN_ID = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** Bytes of a key: a workflow id is made of it, and a pipeline's steps put their names after that. */
export const MAX_KEY_BYTES = 200;

/** A pipeline's step; its name is a part of workflow ids. */
export const STEP_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** A pipeline's history and result tell of every generation. */
export const MOST_GENERATIONS = 1_000;

/**
 * A record's `data` over this, as JSON in UTF-8, is stored beside the outputs: the server refuses payloads over 2 MB for
 * ever, and histories hold many.
 */
export const MAX_DATA_BYTES = 256 * 1024;

/** References in a pipeline's inputs, all steps together. */
export const MOST_REFERENCES = 10_000;

/** Characters of a workflow id: what PostgreSQL's schema of Temporal holds. */
export const LONGEST_WORKFLOW_ID = 255;

/** Bytes of any id: Temporal's own limit. */
export const LONGEST_ID = 1_000;

/**
 * Bytes of a pipeline's request as JSON, and of the argument of each generation. Temporal fails a workflow's task for
 * ever over a payload of more than 2 MB, and a pipeline that continues as new hands on its request with its results.
 */
export const MOST_REQUEST_BYTES = 1_000_000;

/** Bytes of a pipeline's request and of the inputs that people have put in the place of its own, as JSON: both are handed on. */
export const MOST_ASKED_BYTES = 1_200_000;

/** Bytes of the inputs of all generations of a pipeline together, as JSON. */
export const MOST_INPUT_BYTES = 20_000_000;

/** How long a URL that a reference stands for is taken to be while nobody knows it, in bytes. */
export const ASSUMED_URL_BYTES = 2_048;

/** Levels of lists and objects in an input. Deeper ones fit no model. */
export const DEEPEST_INPUT = 100;

/** Levels of lists and objects in a request: far fewer than `JSON.stringify` can walk, which every payload goes through. */
export const DEEPEST_REQUEST = 1_500;

/** Bytes of a pipeline's result as JSON. */
export const MOST_RESULT_BYTES = 1_000_000;

/** Bytes of a query's answer, and of what the Temporal Web UI shows as Current Details: it takes 20 KB. */
export const MOST_SHOWN_BYTES = 20_000;

/** Clocks of workers and receivers may differ by this much (milliseconds). */
export const CLOCK_TOLERANCE = 5_000;

/**
 * Of the API's own clocks (milliseconds): a task's creation is written by another machine than the one that dates the
 * answers.
 */
export const API_CLOCK_TOLERANCE = 30_000;

/** Milliseconds that a GET of the API may take where nothing is held by it. */
export const GET_TIMEOUT = 8_000;

/** The same of anything that a local activity asks for: it answers before its workflow gives it up (`local-tries.ts`). */
export const LOCAL_TIMEOUT = 4_500;

/** Beyond it, sums and timers get out of range. */
export const MOST_NUMBER = 1e15;
