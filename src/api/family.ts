import { keysOf } from './json/keys-of.ts';

/** The three families of models, and with them the prefix of their error codes (API specification, Errors). */
export const ERROR_PREFIX = {
  speech: 'TTS_GENERATION',
  image: 'IMAGE_GENERATION',
  video: 'VIDEO_GENERATION',
} as const;

export type Family = keyof typeof ERROR_PREFIX;

export const FAMILIES = keysOf(ERROR_PREFIX);
