import { z } from 'zod';
import { NO_USAGE, type Usage } from './usage.ts';

/** Task states on records (API specification, States). */
export const QUEUE_STATES = ['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELED'] as const;
export type QueueState = (typeof QUEUE_STATES)[number];

export const TERMINAL_STATES: ReadonlySet<QueueState> = new Set(['COMPLETED', 'FAILED', 'CANCELED']);

export const usageSchema = z.looseObject({
  total: z.number(),
  subscription: z.number(),
  permanent: z.number(),
}) satisfies z.ZodType<Usage>;

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

export const imageAssetSchema = z.looseObject({
  url: z.url(),
  file_name: z.string().optional(),
  content_type: z.string().optional(),
  width: wholeNumber.nullish(),
  height: wholeNumber.nullish(),
});

/** Assumed: the API specification shows no shape for audio; this one is analogous to video. */
export const audioAssetSchema = z.looseObject({
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

/**
 * `data` of a record: a bare URI, one of the known output objects, some object that we do not know (kept
 * untouched), or null.
 */
export const dataSchema = z.union([
  z.url(),
  videoOutputSchema,
  imageOutputSchema,
  audioOutputSchema,
  z.record(z.string(), z.unknown()),
  z.null(),
]);

/** The task record exactly as the API specification describes it; the emulator is held to it. */
export const generationSchema = z.strictObject({
  id: z.string().min(1),
  status: z.enum(QUEUE_STATES),
  input: z.record(z.string(), z.unknown()),
  data: dataSchema.optional(),
  usage: usageSchema,
  code: z.string().optional(),
  message: z.string().optional(),
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
  usage: usageSchema.catch({ ...NO_USAGE }),
  code: z.string().nullish().catch(undefined),
  message: z.string().nullish().catch(undefined),
});
export type GenerationRecord = z.infer<typeof readGenerationSchema>;

/** What Darkroom reads of a submit's answer: an id makes it accepted, whatever else it says. */
export const acceptedSchema = z.looseObject({
  id: z.string().min(1),
  status: z.enum(QUEUE_STATES).catch('IN_QUEUE'),
  usage: usageSchema.catch({ ...NO_USAGE }),
});
export type AcceptedTask = z.infer<typeof acceptedSchema>;
