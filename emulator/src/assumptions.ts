import { z } from 'zod';
import { CREDITS_CODES, GENERATION_CODES } from '../../src/api/codes.ts';
import { MODEL_IDS } from '../../src/api/models/registry.ts';
import { CHECK_NAMES, checkOrder } from './api/check-order.ts';
import { strict } from './config/strict.ts';
import { guess, table } from './guess.ts';

const success = z.int().min(200).max(299);
const failure = z.int().min(400).max(599);
const milliseconds = z.number().min(0);
const seconds = z.number().positive();
const atLeastOne = z.int().min(1);
const name = z.string().min(1);
const modelId = z.enum(MODEL_IDS);

/** A pattern as text, so that JSON can hold it. */
const pattern = z.string().refine((text) => {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}, 'must be a regular expression');

/**
 * Everything that the emulator does and the API specification does not show, in one place. Each value is a default
 * that `startEmulator({ assumptions: { … } })` and the file of `EMULATOR_CONFIG` override; `GET /control/state` shows
 * those in force.
 */
export const GUESSES = {
  submitStatus: guess(success, 201, 'Status of an accepted submit.'),
  submitErrorStatus: table(
    GENERATION_CODES,
    failure,
    {
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
    'Status of each code as the answer to a submit; a fault rule with another `status` makes the second of `P_FAILED`.',
  ),
  malformedBodyStatus: guess(
    failure,
    400,
    'Status of `P_INVALID_INPUT` if a body cannot be parsed, or is nested too deeply.',
  ),
  tooLargeStatus: guess(failure, 413, 'Status of `P_INVALID_INPUT` if a body is too large.'),
  creditsErrorStatus: table(
    CREDITS_CODES,
    failure,
    { INVALID_INPUT: 400, UNAUTHORIZED: 401, WORKSPACE_FORBIDDEN: 403, NOT_FOUND: 404 },
    'Status of each code of `GET credits`.',
  ),
  unknownRoute: guess(
    strict({ status: failure, code: name }),
    { status: 404, code: 'NOT_FOUND' },
    'Answer to an unknown route or model.',
  ),
  checkOrder: guess(checkOrder, [...CHECK_NAMES], "Order of a submit's checks."),
  insufficientCreditsDetails: guess(
    strict({ required: name, available: name }).nullable(),
    { required: 'required', available: 'available' },
    'Names of price and balance in `details` of `P_INSUFFICIENT_CREDITS`; `null`: none.',
  ),
  taskIdShape: guess(pattern, '^[\\w-]{1,128}$', 'Ids for `GET generation/{id}`; others are 422.'),
  workspaceHeader: guess(
    z
      .string()
      .regex(/^[\w-]+$/)
      .toLowerCase(), // as Node gives the names of a request's headers
    'x-workspace',
    "Header that names the workspace; without it the key's own.",
  ),
  keyScopes: guess(
    strict({ submit: name, get: name, credits: name }),
    { submit: 'generate', get: 'read', credits: 'credits' },
    'Scopes; a key without any may do everything.',
  ),
  templateField: guess(name, 'template_id', 'Field of a submit that names a template.'),
  templateMetadata: guess(
    strict({ id: name, name }),
    { id: 'id', name: 'name' },
    'Names in `prediction.template`.',
  ),
  inputDefaults: table(
    MODEL_IDS,
    z.record(z.string(), z.unknown()),
    {},
    'Fields (wire names) added to an input, besides `n` and `upscale_factor`.',
  ),
  moderationTrigger: guess(
    name,
    '[[reject]]',
    'The moderation refuses texts with this; `auto_fix` of `video-k` leaves it out instead.',
  ),
  brokenInputFile: guess(
    z.enum(['task fails', 'submit is refused']),
    'task fails',
    'If an input file is missing, of another kind or too small (`image-s`): the task fails with `P_INVALID_INPUT`, or the submit is answered 422 (`submit is refused`).',
  ),
  prices: table(
    MODEL_IDS,
    z.int().min(1),
    {
      'speech-a': 3,
      'speech-b': 4,
      'face-swap-c': 6,
      'video-d': 60,
      'video-e': 30,
      'lip-sync-h': 40,
      'video-i': 35,
      'video-j': 45,
      'video-k': 30,
      'image-l': 8,
      'image-m': 12,
      'image-n': 10,
      'image-o': 5,
      'image-p': 6,
      'upscale-q': 4,
      'image-r': 5,
      'image-s': 7,
    },
    'Credits a result; `video-f` and `video-g` are priced by the second.',
  ),
  creditsPerSourceSecond: table(
    MODEL_IDS,
    z.number().positive(),
    {},
    'In place of `prices`: credits a second of the longest source.',
  ),
  creditsPerUsd: guess(z.number().positive(), 100, 'For prices that the specification has in USD.'),
  firstPool: guess(z.enum(['subscription', 'permanent']), 'subscription', 'The pool that pays first.'),
  refunds: guess(
    z.union([z.enum(['none', 'all']), z.array(z.enum([...GENERATION_CODES, 'CANCELED']))]),
    'none',
    'Tasks that give their credits back (`usage` becomes zero): `none`, `all` that failed or were canceled, or a list of codes and `CANCELED`.',
  ),
  outputSizes: table(
    MODEL_IDS,
    strict({ aspect: name.optional(), resolution: name.optional(), seconds: seconds.optional() }),
    {
      'video-e': { resolution: '768p', seconds: 6 },
      'image-l': { aspect: '1:1' },
      'image-m': { aspect: '1:1' },
      'image-p': { aspect: '16:9', resolution: '720p' },
    },
    "Size and length by default. Others: pictures `1K`, videos `720p`, in the first input picture's aspect, else square and 16:9.",
  ),
  resolutions: table(
    ['1K', '2K', '4K', '360p', '540p', '720p', '768p', '1080p'],
    strict({ side: z.enum(['longest', 'shortest']), pixels: z.int().min(16).multipleOf(2) }),
    {
      '1K': { side: 'longest', pixels: 1024 },
      '2K': { side: 'longest', pixels: 2048 },
      '4K': { side: 'longest', pixels: 4096 },
      '360p': { side: 'shortest', pixels: 360 },
      '540p': { side: 'shortest', pixels: 540 },
      '720p': { side: 'shortest', pixels: 720 },
      '768p': { side: 'shortest', pixels: 768 },
      '1080p': { side: 'shortest', pixels: 1080 },
    },
    'The side that a resolution fixes, in pixels.',
  ),
  longestUpscaledSide: guess(atLeastOne, 4096, 'Pixels of "up to 4K", the limit of `upscale-q`.'),
  defaultOutputSeconds: guess(seconds, 5, 'Length of an output by default.'),
  longestOutputSeconds: guess(seconds, 60, 'Longer tasks fail with `P_INVALID_INPUT`.'),
  bareUriModels: guess(z.array(modelId), ['lip-sync-h'], 'Models whose `data` is a bare URI.'),
  audioOutput: guess(
    strict({ list: name, first: name }),
    { list: 'audios', first: 'audio' },
    'Names of list and first file in the `data` of speech.',
  ),
  queueTime: guess(
    z
      .tuple([milliseconds, milliseconds])
      .refine(([shortest, longest]) => shortest <= longest, 'must be the shortest and the longest time'),
    [300, 1200],
    'Milliseconds in the queue, between these, divided by `speed`.',
  ),
  runTimeSpread: guess(
    z.number().min(0).max(1),
    0.2,
    "Share by which a task's time differs from the typical one.",
  ),
  webhookRetries: guess(
    z.array(milliseconds),
    [5_000, 30_000, 120_000, 600_000, 1_800_000, 7_200_000],
    'Milliseconds before each further attempt, divided by `speed`.',
  ),
  webhookTimeout: guess(milliseconds, 10_000, 'Milliseconds for a receiver to answer.'),
  rotationOverlap: guess(
    milliseconds,
    24 * 60 * 60 * 1000,
    'Milliseconds in which the old secret also signs.',
  ),
  testDeliveryMark: guess(
    z.record(z.string(), z.unknown()),
    { test: true },
    'Stands next to `event` in a test delivery.',
  ),
  deliveryLogCounts: guess(
    z.enum(['attempts', 'deliveries']),
    'attempts',
    'What the dashboard shows the latest 20 of.',
  ),
  maxJsonBytes: guess(atLeastOne, 1024 * 1024, 'Bytes of the largest JSON body.'),
  maxUploadBytes: guess(atLeastOne, 64 * 1024 * 1024, 'Bytes of the largest form.'),
  deepestNesting: guess(atLeastOne, 100, "Levels of lists and objects in a submit's body."),
  retainedTasks: guess(atLeastOne, 200_000, 'Tasks that are kept; older finished ones answer 404.'),
} as const;

type Guesses = typeof GUESSES;

export type Assumptions = { readonly [Name in keyof Guesses]: z.output<Guesses[Name]['schema']> };

/** Any of them; of a table only the entries that are to be others. */
export type AssumptionsInput = {
  readonly [Name in keyof Guesses]?: z.input<Guesses[Name]['schema']> | undefined;
};

const schemas = Object.entries(GUESSES).map(([name, { schema, usual }]) => [name, z._default(schema, usual)]);

/** Checks what is to be assumed otherwise; what it gives has every assumption. */
export const assumptionsSchema = strict(Object.fromEntries(schemas)) as unknown as z.ZodType<
  Assumptions,
  AssumptionsInput
>; // made of the table's own names and schemas
