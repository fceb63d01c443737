import { z } from 'zod';
import { readCodeSchema, readMessageSchema } from '../error-body.ts';
import { isTaskId } from './task-id.ts';
import { NO_USAGE, type Usage } from './usage.ts';

/** Task states on records (API specification, States). */
export const QUEUE_STATES = ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELED'] as const;
export type QueueState = (typeof QUEUE_STATES)[number];

export const TERMINAL_STATES: ReadonlySet<QueueState> = new Set(['COMPLETED', 'FAILED', 'CANCELED']);

const usageSchema = z.looseObject({
  total: z.number(),
  subscription: z.number(),
  permanent: z.number(),
}) satisfies z.ZodType<Usage>;

/** A price that is known only in part still counts: a missing pool is zero, a missing total the sum of the pools. */
const readUsageSchema = z
  .looseObject({
    total: z.number().optional().catch(undefined),
    subscription: z.number().catch(0),
    permanent: z.number().catch(0),
  })
  .catch({ ...NO_USAGE })
  .transform((usage) => ({ ...usage, total: usage.total ?? usage.subscription + usage.permanent }));

const wholeNumber = z.int();

/** One produced file of a video. Further properties are allowed and kept. */
export const videoAssetSchema = z.looseObject({
  url: z.url(),
  file_name: z.string().optional(),
  content_type: z.string().optional(),
  file_size: wholeNumber.nullish(),
  width: wholeNumber.nullish(),
  height: wholeNumber.nullish(),
  duration: z.number().nullish(),
});

const imageAssetSchema = z.looseObject({
  url: z.url(),
  file_name: z.string().optional(),
  content_type: z.string().optional(),
  width: wholeNumber.nullish(),
  height: wholeNumber.nullish(),
});

/** Assumed: the API specification shows no shape for audio; this one is analogous to video. */
const audioAssetSchema = z.looseObject({
  url: z.url(),
  file_name: z.string().optional(),
  content_type: z.string().optional(),
  file_size: wholeNumber.nullish(),
  duration: z.number().nullish(),
});

const outputCount = z.int().min(1).max(4);

export const videoOutputSchema = z.looseObject({
  type: z.literal('video').optional(),
  n: outputCount.optional(),
  seed: wholeNumber.optional(),
  actual_prompt: z.string().optional(),
  videos: z.array(videoAssetSchema).min(1),
  video: videoAssetSchema.optional(),
});

/** `n` has no stated range for images; model S makes up to 5 at once. */
export const imageOutputSchema = z.looseObject({
  type: z.literal('image'),
  n: wholeNumber.optional(),
  actual_prompt: z.string().optional(),
  images: z.array(imageAssetSchema).min(1),
  image: imageAssetSchema.optional(),
});

export const audioOutputSchema = z.looseObject({
  type: z.literal('audio'),
  n: wholeNumber.optional(),
  audios: z.array(audioAssetSchema).min(1),
  audio: audioAssetSchema.optional(),
});

const KNOWN_KINDS: ReadonlySet<unknown> = new Set(['video', 'image', 'audio']);

/** An object of a kind that the API specification does not show. What claims to be a known kind has to be one. */
const unknownOutputSchema = z
  .record(z.string(), z.unknown())
  .refine((data) => !KNOWN_KINDS.has(data['type']) && !('videos' in data));

/** `data` of a record: a bare URI, one of the known output objects, some object that we do not know, or null. */
const dataSchema = z.union([
  z.url(),
  videoOutputSchema,
  imageOutputSchema,
  audioOutputSchema,
  unknownOutputSchema,
  z.null(),
]);

const common = {
  id: z.string().min(1),
  input: z.record(z.string(), z.unknown()),
  usage: usageSchema,
};

/**
 * The task record exactly as the API specification describes it, with no other properties: `data` is null unless
 * the task has completed, `code` and `message` are there when it has failed. Services are held to it.
 */
export const generationSchema = z
  .strictObject({
    ...common,
    status: z.enum(QUEUE_STATES),
    data: dataSchema,
    code: z.string().min(1).optional(),
    message: z.string().optional(),
  })
  .superRefine(({ status, data, code, message }, context) => {
    const blame = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message: `${message} when the status is ${status}` });
    if ((data === null) === (status === 'COMPLETED')) {
      blame('data', status === 'COMPLETED' ? 'is missing' : 'must be null');
    }
    if (status !== 'FAILED') return;
    if (code === undefined) blame('code', 'is missing');
    if (message === undefined) blame('message', 'is missing');
  });

/** A submit's answer exactly as the API specification shows it: the record of a queued task, without `data`. */
export const submittedSchema = z.strictObject({
  ...common,
  status: z.literal('IN_QUEUE'),
  data: z.null().optional(),
});

/**
 * What Darkroom reads of a record. The reader is lenient where a wrong guess would lose a paid result: only
 * `id` and `status` must be right, unknown properties are kept, and `data` is not judged.
 */
export const readGenerationSchema = z.looseObject({
  id: z.string().min(1),
  status: z.enum(QUEUE_STATES),
  input: z.record(z.string(), z.unknown()).catch({}),
  data: z.unknown().optional(),
  usage: readUsageSchema,
  code: readCodeSchema.nullish().catch(undefined),
  message: readMessageSchema.nullish().catch(undefined),
});
export type GenerationRecord = z.infer<typeof readGenerationSchema>;

/** What Darkroom reads of a submit's answer: an id makes it accepted, whatever else it says. */
export const acceptedSchema = z.looseObject({
  id: z.string().refine(isTaskId),
  status: z.enum(QUEUE_STATES).catch('IN_QUEUE'),
  /** As the API normalized it; undefined where the answer does not tell. */
  input: z.record(z.string(), z.unknown()).optional().catch(undefined),
  usage: readUsageSchema,
});
export type AcceptedTask = z.infer<typeof acceptedSchema>;
