import { z } from 'zod';
import { cut } from './text/cut.ts';

const fieldErrorSchema = z.strictObject({ path: z.string(), message: z.string(), code: z.string() });

/** One entry of an error body's `errors`. */
export type ApiFieldError = z.infer<typeof fieldErrorSchema>;

/** The error body exactly as the API specification describes it, with no other properties. Services are held to it. */
export const errorBodySchema = z.strictObject({
  code: z.string().min(1),
  message: z.string(),
  error: z.string().optional(),
  errors: z.array(fieldErrorSchema).optional(),
  details: z.unknown().optional(),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;

/** Of what the API says, in characters: as much as a person reads. An activity's result takes 2 MB, an answer 8. */
const LONGEST_CODE = 100;
const LONGEST_PATH = 200;
const LONGEST_MESSAGE = 1_000;
const MOST_ERRORS = 50;

/** A code as failures and search attributes have it, `[A-Z0-9_]{1,100}`, whatever was sent; and a message of any length. */
export const readCodeSchema = z.string().transform(codeOf);
export const readMessageSchema = z.string().transform((message) => cut(message, LONGEST_MESSAGE));

function codeOf(said: string): string {
  const code = said
    .slice(0, LONGEST_CODE)
    .replaceAll(/[^A-Za-z0-9_]+/g, '_')
    .toUpperCase();
  return /[A-Z0-9]/.test(code) ? code : 'UNREADABLE_CODE';
}

/** The entries of `errors` that say where and what; others are left out. */
const readFieldErrorsSchema = z
  .array(z.looseObject({ path: z.string(), message: z.string() }).nullable().catch(null))
  .transform((entries) =>
    entries
      .filter((entry) => entry !== null)
      .slice(0, MOST_ERRORS)
      .map((entry) => ({
        ...entry,
        path: cut(entry.path, LONGEST_PATH),
        message: cut(entry.message, LONGEST_MESSAGE),
      })),
  );

/** What Darkroom reads of an error body: `code` makes it one, the rest may be missing or malformed. */
export const readErrorBodySchema = z.looseObject({
  code: z.string().min(1).pipe(readCodeSchema),
  message: readMessageSchema.catch(''),
  errors: readFieldErrorsSchema.optional().catch(undefined),
  details: z.unknown().optional(),
});
