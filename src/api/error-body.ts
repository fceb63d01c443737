import { z } from 'zod';

export const fieldErrorSchema = z.object({ path: z.string(), message: z.string(), code: z.string() });

/** The error body exactly as the API specification describes it; the emulator is held to it. */
export const errorBodySchema = z.strictObject({
  code: z.string().min(1),
  message: z.string(),
  error: z.string().optional(),
  errors: z.array(fieldErrorSchema).optional(),
  details: z.unknown().optional(),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;

/** What Darkroom reads of an error body: `code` makes it one, the rest may be missing or malformed. */
export const readErrorBodySchema = z.looseObject({
  code: z.string().min(1),
  message: z.string().catch(''),
  errors: z.array(fieldErrorSchema).optional().catch(undefined),
  details: z.unknown().optional(),
});
