import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { strict } from '../../../emulator/src/config/strict.ts';

/** What an implementation of the API may lack, and what its tests are about then. */
export const CAPABILITIES = {
  authentication: 'refuses keys that it does not know with 401',
  balance: 'answers GET credits',
  charges: 'takes what a submit costs off the balance',
  'error bodies': "refuses with the API's error body",
  files: 'serves the files that its records name',
  forms: 'takes multipart/form-data',
  limits: 'refuses inputs outside of the limits of their fields',
  'normalized inputs': 'repeats in a record what was sent',
  'unknown paths': 'refuses a path that names no model',
  'versioned paths': 'has a version in the path of one model, and takes any',
  webhooks: 'sends webhooks',
} as const;

export type Capability = keyof typeof CAPABILITIES;

const lacks = strict(
  // The table's own keys, each with its reason.
  Object.fromEntries(Object.keys(CAPABILITIES).map((name) => [name, z.string().min(1).optional()])) as Record<
    Capability,
    z.ZodOptional<z.ZodString>
  >,
);
const implementationSchema = strict({
  name: z.string().optional(),
  costsNothing: z.boolean().optional(),
  lacks: lacks.optional(),
});

/** What an implementation says of itself. */
export interface Implementation {
  name?: string | undefined;
  /** Whether nothing there costs money: then everything may be tried. */
  costsNothing?: boolean | undefined;
  /** By capability, why it is not there. */
  lacks?: Readonly<Partial<Record<Capability, string | undefined>>> | undefined;
}

/**
 * Reads what an implementation says of itself: a JSON document at a URL of its own, or in a file.
 *
 * @throws Error naming what is wrong in it
 */
export async function readImplementation(from: string | undefined): Promise<Implementation> {
  if (from === undefined) return {};
  const text = /^https?:/.test(from) ? await (await fetch(from)).text() : await readFile(from, 'utf8');
  const parsed = implementationSchema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error(`CONFORMANCE_IMPLEMENTATION: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
