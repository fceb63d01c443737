import type { ModelId } from '../../../src/api/models/registry.ts';
import { FILES } from './effect-files.ts';

/** What is seen of an output. */
export interface Facts {
  /** How many files. */
  files: number;
  /** Of the first one: `image/png`. */
  type: string | null;
  /** Pixels of the first one, as it is: `64x36`. */
  size: string | undefined;
  /** Whole seconds of the first one. */
  seconds: number | undefined;
  /** The codec of a video's sound. */
  sound: string | undefined;
  /** How many words have timings. */
  words: number;
}

/** `field` with `value` beside `base` makes `fact` what it says; without `value` it is another. */
type Told = { [Fact in keyof Facts]: readonly [fact: Fact, now: Facts[Fact]] }[keyof Facts];
/** The first output's bytes are others. */
type Seen = 'other bytes';

/** One effect: of the field, when it gets that value. */
export type Effect = readonly [
  field: string,
  value: unknown,
  effect: Told | Seen,
  base?: Readonly<Record<string, unknown>>,
];

interface Effects {
  /** The least that the model takes, with which each field is tried. */
  base: Readonly<Record<string, unknown>>;
  effects: readonly Effect[];
  /** Fields that are accepted and change nothing: docs/emulator.md lists them. */
  none: Readonly<Record<string, unknown>>;
}

const { red, blue, tall, clip, silent, tone } = FILES;
const PROMPT: Effect = ['prompt', 'a pier', 'other bytes'];
const SEED: Effect = ['seed', 7, 'other bytes'];
const COUNT: Effect = ['n', 3, ['files', 3]];
const pictures = (field: string): Effect => [field, [red], 'other bytes'];
const wide = (size: string): Effect => ['aspect_ratio', '9:16', ['size', size]];
const longer: Effect = ['duration', 4, ['seconds', 4]];

/** Model × input field → what changes in the output. */
export const EFFECTS: Readonly<Record<ModelId, Effects>> = {
  'speech-a': {
    base: { text: 'good evening' },
    effects: [
      ['text', 'good morning, all of you', 'other bytes'],
      ['voice', 'Aria', 'other bytes'],
      ['language', 'German', 'other bytes'],
      ['speaker_voice_embedding_file_url', 'https://files.example/voice.safetensors', 'other bytes'],
    ],
    none: {
      prompt: 'softly',
      reference_text: 'x',
      top_k: 3,
      top_p: 0.5,
      temperature: 0.5,
      repetition_penalty: 1,
      subtalker_dosample: true,
      subtalker_top_k: 3,
      subtalker_top_p: 0.5,
      subtalker_temperature: 0.5,
      max_new_tokens: 9,
    },
  },
  'speech-b': {
    base: { text: 'good evening' },
    effects: [
      ['text', 'good morning, all of you', 'other bytes'],
      ['voice', 'Aria', 'other bytes'],
      ['language_code', 'de', 'other bytes'],
      ['timestamps', true, ['words', 2]],
    ],
    none: { stability: 0.5, apply_text_normalization: 'on' },
  },
  'face-swap-c': {
    base: { input_image: red, swap_image: blue },
    effects: [
      ['input_image', tall, ['size', '64x128']],
      ['swap_image', tall, 'other bytes'],
    ],
    none: {},
  },
  'video-d': {
    base: { prompt: 'a lamp' },
    effects: [
      PROMPT,
      SEED,
      wide('36x64'),
      ['resolution', '1080p', ['size', '96x54']],
      longer,
      ['image_url', red, 'other bytes'],
      pictures('image_urls'),
      pictures('reference_image_urls'),
      ['video_url', clip, ['sound', 'aac']],
      ['audio_setting', 'origin', ['sound', undefined], { prompt: 'a lamp', video_url: silent }],
    ],
    none: { workflow_type: 'text-to-video' },
  },
  'video-e': {
    base: { prompt: 'a lamp', first_frame_url: red },
    effects: [
      PROMPT,
      ['first_frame_url', blue, 'other bytes'],
      longer,
      ['resolution', '1080p', ['size', '54x54']],
      COUNT,
    ],
    none: { prompt_optimizer: true },
  },
  'video-f': {
    base: { prompt: 'a lamp', first_frame_url: red },
    effects: [PROMPT, SEED, ['first_frame_url', blue, 'other bytes'], longer, wide('36x64'), COUNT],
    none: {},
  },
  'video-g': {
    base: { prompt: 'a lamp' },
    effects: [PROMPT, ['first_frame_url', blue, 'other bytes'], longer, wide('36x64'), COUNT],
    none: {},
  },
  'lip-sync-h': {
    base: { video_url: silent, audio_url: tone },
    effects: [
      ['video_url', clip, ['size', '80x36']],
      ['audio_url', clip, 'other bytes'],
      ['n', 2, ['files', 2]],
    ],
    none: { quality: 'pro' },
  },
  'video-i': {
    base: { prompt: 'a lamp' },
    effects: [
      PROMPT,
      SEED,
      longer,
      ['resolution', '1080p', ['size', '96x54']],
      wide('36x64'),
      pictures('image_urls'),
      ['movement_amplitude', 'large', 'other bytes'],
      ['bgm', true, ['sound', 'aac']],
      COUNT,
    ],
    none: {},
  },
  'video-j': {
    base: { prompt: 'a lamp' },
    effects: [
      PROMPT,
      SEED,
      longer,
      ['resolution', '1080p', ['size', '96x54']],
      wide('36x64'),
      ['image_url', red, 'other bytes'],
      COUNT,
    ],
    none: { audio: 'rain', bgm: true },
  },
  'video-k': {
    base: { prompt: 'a lamp' },
    effects: [
      PROMPT,
      SEED,
      ['resolution', '1080p', ['size', '96x54']],
      wide('36x64'),
      ['image_url', red, 'other bytes'],
      pictures('image_urls'),
      ['first_frame_url', red, 'other bytes'],
      ['last_frame_url', blue, 'other bytes'],
      ['auto_fix', true, 'other bytes', { prompt: 'a lamp [[reject]]' }],
      COUNT,
    ],
    none: { mode: 'text-image', negative_prompt: 'rain' },
  },
  'image-l': {
    base: { prompt: 'a lamp' },
    effects: [PROMPT, wide('36x64'), ['resolution', '2K', ['size', '96x96']], pictures('image_urls'), COUNT],
    none: {},
  },
  'image-m': {
    base: { prompt: 'a lamp' },
    effects: [
      PROMPT,
      wide('36x64'),
      ['resolution', '2K', ['size', '96x96']],
      pictures('image_urls'),
      ['output_format', 'webp', ['type', 'image/webp']],
      COUNT,
    ],
    none: { enable_web_search: true },
  },
  'image-n': {
    base: { prompt: 'a lamp' },
    effects: [
      PROMPT,
      wide('36x64'),
      ['resolution', '2K', ['size', '96x96']],
      pictures('image_urls'),
      ['elements', [{ image: red }], 'other bytes'],
      ['output_format', 'webp', ['type', 'image/webp']],
      COUNT,
    ],
    none: {},
  },
  'image-o': {
    base: { prompt: 'a lamp' },
    effects: [
      PROMPT,
      ['image_url', red, 'other bytes'],
      ['image_url', tall, ['size', '32x64']],
      wide('36x64'),
      ['output_format', 'jpg', ['type', 'image/jpeg']],
      COUNT,
    ],
    none: {},
  },
  'image-p': {
    base: { prompt: 'a lamp' },
    effects: [
      PROMPT,
      ['resolution', '1080p', ['size', '96x54']],
      wide('36x64'),
      pictures('image_urls'),
      COUNT,
    ],
    none: {},
  },
  'upscale-q': {
    base: { image_url: red },
    effects: [
      ['image_url', tall, ['size', '128x256']],
      ['upscale_factor', 3, ['size', '192x192']],
      ['n', 2, ['files', 2]],
    ],
    none: {},
  },
  'image-r': {
    base: { prompt: 'a lamp' },
    effects: [
      PROMPT,
      SEED,
      pictures('image_urls'),
      wide('36x64'),
      ['output_format', 'webp', ['type', 'image/webp']],
      COUNT,
    ],
    none: { negative_prompt: 'rain' },
  },
  'image-s': {
    base: { prompt: 'a lamp' },
    effects: [PROMPT, SEED, pictures('image_urls'), wide('36x64'), ['num_images', 5, ['files', 5]], COUNT],
    none: { negative_prompt: 'rain' },
  },
};
