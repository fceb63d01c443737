import { z } from 'zod';
import { REFERENCE_PATTERN } from '../input/file-references.ts';
import { characterCount } from '../text/character-count.ts';
import type { MediaKind } from './media-kind.ts';

/**
 * The vocabulary that the model files are written in. Each function returns a zod schema whose metadata
 * (`z.globalRegistry`) carries what JSON Schema needs: the description, an example and, for names that the API
 * specification does not show, `assumed: true`; and `kind`, what a file is that the field takes.
 */

/** http and https in any case, as URLs allow; written so that JSON Schema's `pattern`, which has no flags, agrees. */
const HTTP_URL = /^[Hh][Tt][Tt][Pp][Ss]?:\/\//;
/** A request may also name a file of Darkroom's store there, which the API does not get to see. */
const URL_OR_FILE = `^(?:[Hh][Tt][Tt][Pp][Ss]?://|${REFERENCE_PATTERN})`;

const EXAMPLE_FILES = {
  image: 'https://example.com/image.png',
  video: 'https://example.com/video.mp4',
  audio: 'https://example.com/audio.mp3',
  embedding: 'https://example.com/voice.safetensors',
} as const satisfies Record<MediaKind, string>;

/**
 * Text. Lengths count characters (code points), as JSON Schema's `maxLength` does.
 *
 * @param kind where the text stands for a file all the same
 */
export function text(
  description: string,
  {
    min,
    max,
    example = 'some text',
    kind,
  }: { min?: number; max?: number; example?: string; kind?: MediaKind } = {},
): z.ZodString {
  return z
    .string()
    .check(({ value, issues }) => {
      const length = characterCount(value);
      if (min !== undefined && length < min) {
        issues.push({ code: 'too_small', origin: 'string', minimum: min, inclusive: true, input: value });
      }
      if (max !== undefined && length > max) {
        issues.push({ code: 'too_big', origin: 'string', maximum: max, inclusive: true, input: value });
      }
    })
    .meta({ description, minLength: min, maxLength: max, kind, examples: [example] });
}

/** What a picture or a video shows. Where the API specification names no length, none is enforced. */
export function prompt(description: string, limits: { min?: number; max?: number } = {}): z.ZodString {
  return text(description, { ...limits, example: 'a lighthouse at dawn' });
}

/** A public http(s) URL of a file of that kind. Loopback hosts are fine: the API decides what it can reach. */
export function url(description: string, kind: MediaKind = 'image'): z.ZodString {
  return z
    .string()
    .check(({ value, issues }) => {
      if (HTTP_URL.test(value) && URL.canParse(value)) return;
      issues.push({ code: 'invalid_format', format: 'url', input: value });
    })
    .meta({ description, kind, format: 'uri', pattern: URL_OR_FILE, examples: [EXAMPLE_FILES[kind]] });
}

/** A list of image URLs; an empty one is refused only where the API specification says so (`min`). */
export function urls(
  description: string,
  limits: { min?: number; max?: number } = {},
): z.ZodArray<z.ZodString> {
  let list = z.array(url('A public URL'));
  if (limits.min !== undefined) list = list.min(limits.min);
  if (limits.max !== undefined) list = list.max(limits.max);
  return list.meta({ description });
}

export function integer(description: string, min: number, max: number): z.ZodInt {
  return z.int().min(min).max(max).meta({ description });
}

/** A number, limits included. */
export function number(description: string, min: number, max = Number.POSITIVE_INFINITY): z.ZodNumber {
  const schema = z.number().min(min);
  return (max === Number.POSITIVE_INFINITY ? schema : schema.max(max)).meta({ description });
}

/** A number above zero: for lengths and factors that the API specification gives no range for. */
export function positive(description: string): z.ZodNumber {
  return z.number().positive().meta({ description });
}

export function choice<const T extends readonly [string, ...string[]]>(
  description: string,
  values: T,
): z.ZodEnum<{ [K in T[number]]: K }> {
  return z.enum(values).meta({ description });
}

export function flag(description: string): z.ZodBoolean {
  return z.boolean().meta({ description });
}

/** A field whose values the API specification does not show at all: any JSON value passes. */
export function anything(description: string): z.ZodUnknown {
  return z.unknown().meta({ description });
}

/** Seeds have two ranges in the API specification: 0..2^31-1 (models D and S) and the safe integers (the rest). */
export function seed31(): z.ZodInt {
  return integer('Random seed', 0, 2_147_483_647);
}

export function seed53(description = 'Random seed'): z.ZodInt {
  return integer(description, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
}

/** How many results to make. Its request name is not shown; normalized inputs carry it as `n`. */
export function results(): z.ZodOptional<z.ZodInt> {
  return assumed(integer('Number of results', 1, 4));
}

/** An optional field whose name the API specification shows. */
export function optional<T extends z.ZodType>(schema: T): z.ZodOptional<T> {
  return z.optional(schema);
}

/**
 * An optional field that the API specification describes only by its meaning: the name on the wire is our
 * guess, and `DARKROOM_CONFIG` can rename it.
 */
export function assumed<T extends z.ZodType>(schema: T): z.ZodOptional<T> {
  return z.optional(schema.meta({ ...schema.meta(), assumed: true }));
}
