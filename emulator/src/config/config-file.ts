import { z } from 'zod';
import { CREDITS_CODES, GENERATION_CODES } from '../../../src/api/codes.ts';
import { modelOverridesSchema } from '../../../src/api/models/override.ts';
import { MODEL_IDS } from '../../../src/api/models/registry.ts';
import { ASSUMPTIONS, type Assumptions } from '../assumptions.ts';

const success = z.int().min(200).max(299);
const failure = z.int().min(400).max(599);
const milliseconds = z.number().min(0);
const atLeastOne = z.int().min(1);

/** Statuses by code; the codes that are left out keep theirs. */
function statuses<Code extends string>(codes: readonly Code[], usual: Readonly<Record<Code, number>>) {
  return z.partialRecord(z.enum(codes), failure).transform((some) => ({ ...usual, ...some }));
}

/** Every assumption, so that none of them needs a change of code to be another. */
const everyAssumption = z.strictObject({
  submitStatus: success,
  submitErrorStatus: statuses(GENERATION_CODES, ASSUMPTIONS.submitErrorStatus),
  malformedBodyStatus: failure,
  tooLargeStatus: failure,
  creditsErrorStatus: statuses(CREDITS_CODES, ASSUMPTIONS.creditsErrorStatus),
  unknownRoute: z.strictObject({ status: failure, code: z.string().min(1) }),
  workspaceHeader: z
    .string()
    .regex(/^[\w-]+$/)
    .toLowerCase(), // as Node gives the names of a request's headers
  templateField: z.string().min(1),
  moderationTrigger: z.string().min(1),
  creditsPerUsd: z.number().positive(),
  refunds: z.union([z.enum(['none', 'all']), z.array(z.enum([...GENERATION_CODES, 'CANCELED']))]),
  defaultOutputSeconds: z.number().positive(),
  longestOutputSeconds: z.number().positive(),
  queueTime: z
    .tuple([milliseconds, milliseconds])
    .refine(([shortest, longest]) => shortest <= longest, 'must be the shortest and the longest time'),
  runTimeSpread: z.number().min(0).max(1),
  webhookRetries: z.array(milliseconds),
  webhookTimeout: milliseconds,
  rotationOverlap: milliseconds,
  bareUriModels: z.array(z.enum(MODEL_IDS)),
  maxJsonBytes: atLeastOne,
  maxUploadBytes: atLeastOne,
  deepestNesting: atLeastOne,
  retainedTasks: atLeastOne,
}) satisfies z.ZodType<Assumptions>;

/**
 * What `EMULATOR_CONFIG`'s file holds: what the API specification does not show, said otherwise. `models` is
 * written as in `DARKROOM_CONFIG`, so one file's part can be copied into the other.
 */
export const configFileSchema = z.strictObject({
  // JSON has no undefined: what is there has a value.
  assumptions: everyAssumption
    .partial()
    .transform((some) => some as Partial<Assumptions>)
    .optional(),
  models: modelOverridesSchema.optional(),
});
