import { z } from 'zod';

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

/** The entries of `errors` that say where and what; others are left out. */
const readFieldErrorsSchema = z
  .array(z.looseObject({ path: z.string(), message: z.string() }).nullable().catch(null))
  .transform((entries) => entries.filter((entry) => entry !== null));

/** What Darkroom reads of an error body: `code` makes it one, the rest may be missing or malformed. */
export const readErrorBodySchema = z.looseObject({
  code: z.string().min(1),
  message: z.string().catch(''),
  errors: readFieldErrorsSchema.optional().catch(undefined),
  details: z.unknown().optional(),
});
