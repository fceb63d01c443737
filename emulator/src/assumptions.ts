import type { GenerationCode } from '../../src/api/codes.ts';

/**
 * Everything that the emulator does and the API specification does not show, in one place. Each value is a
 * default that `startEmulator({ assumptions: { … } })` and the file of `EMULATOR_CONFIG` override. Prices are in
 * `pricing.ts`.
 */
export interface Assumptions {
  /** HTTP status of an accepted submit. */
  submitStatus: number;
  /**
   * HTTP status of each code as a submit's answer, by the code without its prefix. Two distinct responses carry
   * `P_FAILED`: a fault rule that names another `status` makes the second one.
   */
  submitErrorStatus: Readonly<Record<GenerationCode, number>>;
  /** A submit whose body cannot be parsed at all: code `P_INVALID_INPUT`. */
  malformedBodyStatus: number;
  /** A submit whose body is larger than allowed: code `P_INVALID_INPUT`. */
  tooLargeStatus: number;
  /** HTTP status of each code of `GET credits`. */
  creditsErrorStatus: Readonly<
    Record<'INVALID_INPUT' | 'UNAUTHORIZED' | 'WORKSPACE_FORBIDDEN' | 'NOT_FOUND', number>
  >;
  /** An unknown route or model. The model decides the prefix of a code, so an unknown one has none. */
  unknownRoute: { status: number; code: string };
  /** Names the workspace to act in. Without it the key's own workspace is meant. */
  workspaceHeader: string;
  /** Field of a submit's body that names the template which completes the input. */
  templateField: string;
  /** A prompt or text that holds this is refused by the moderation. */
  moderationTrigger: string;
  /** How the USD prices of the specification become credits. */
  creditsPerUsd: number;
  /**
   * Which failed tasks get their credits back: none, all, or those of the listed codes (without prefix;
   * `CANCELED` for canceled tasks). A refunded task's `usage` is zero from then on.
   */
  refunds: 'none' | 'all' | readonly string[];
  /** Length of an output whose model has a duration and whose caller named none, in seconds. */
  defaultOutputSeconds: number;
  /** A task that is to make more than this fails with `P_INVALID_INPUT`: it would render for hours. */
  longestOutputSeconds: number;
  /** Time in the queue, milliseconds, drawn evenly between the two. Divided by `speed`. */
  queueTime: readonly [number, number];
  /** A task takes its model's typical time, give or take this share. Divided by `speed`. */
  runTimeSpread: number;
  /** Pauses before the second, third, … attempt of a delivery, milliseconds. Divided by `speed`. */
  webhookRetries: readonly number[];
  /** How long a receiver may take to answer, milliseconds. */
  webhookTimeout: number;
  /** How long the old secret goes on signing after a rotation, milliseconds. */
  rotationOverlap: number;
  /** Models whose `data` is a bare URI. The specification says that there are such, not which. */
  bareUriModels: readonly string[];
  /** Largest JSON body and largest multipart body of a submit, bytes. */
  maxJsonBytes: number;
  maxUploadBytes: number;
  /** Levels of lists and objects in a submit's body; more is `P_INVALID_INPUT`. */
  deepestNesting: number;
  /** How many tasks are kept; beyond that the oldest finished ones are forgotten and answer 404. */
  retainedTasks: number;
}

export const ASSUMPTIONS: Assumptions = {
  submitStatus: 201,
  submitErrorStatus: {
    INVALID_INPUT: 422,
    INSUFFICIENT_CREDITS: 402,
    CONTENT_REJECTED: 422,
    RATE_LIMITED: 429,
    FAILED: 500,
    PROVIDER_UNAVAILABLE: 503,
    TIMEOUT: 504,
    UNAUTHORIZED: 401,
    WORKSPACE_FORBIDDEN: 403,
    TEMPLATE_NOT_FOUND: 404,
  },
  malformedBodyStatus: 400,
  tooLargeStatus: 413,
  creditsErrorStatus: { INVALID_INPUT: 400, UNAUTHORIZED: 401, WORKSPACE_FORBIDDEN: 403, NOT_FOUND: 404 },
  unknownRoute: { status: 404, code: 'NOT_FOUND' },
  workspaceHeader: 'x-workspace',
  templateField: 'template_id',
  moderationTrigger: '[[reject]]',
  creditsPerUsd: 100,
  refunds: 'none',
  defaultOutputSeconds: 5,
  longestOutputSeconds: 60,
  queueTime: [300, 1200],
  runTimeSpread: 0.2,
  webhookRetries: [5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000],
  webhookTimeout: 10_000,
  rotationOverlap: 24 * 60 * 60 * 1000,
  bareUriModels: ['lip-sync-h'],
  maxJsonBytes: 1024 * 1024,
  maxUploadBytes: 64 * 1024 * 1024,
  deepestNesting: 100,
  retainedTasks: 200_000,
};
