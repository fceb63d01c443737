import { z } from 'zod';
import { modelOverridesSchema } from '../../../src/api/models/override.ts';

const request = z.strictObject({
  method: z.enum(['GET', 'POST']),
  /** Below the base URL. */
  path: z.string(),
  /** Which key went with it; the key itself is in no recording. */
  key: z.enum(['good', 'wrong', 'none']),
  body: z.record(z.string(), z.unknown()).optional(),
});

const response = z.strictObject({
  status: z.int(),
  /** Those that say something of the API; others are left out. */
  headers: z.record(z.string(), z.string()),
  /** Parsed where it is JSON. */
  body: z.unknown(),
  /** Milliseconds. */
  took: z.number(),
});

const exchange = z.strictObject({
  /** The step of the plan. */
  step: z.string(),
  /** Of a submit, and of what is asked of its task: the model's id. */
  model: z.string().optional(),
  request,
  response,
});

/** The headers of a delivery that are kept; the signatures' values are not. */
const delivery = z.strictObject({
  headers: z.record(z.string(), z.string()),
  /** Whether each is one of the body by the endpoint's secret. */
  signatures: z.strictObject({ standard: z.boolean(), legacy: z.boolean() }),
  body: z.unknown(),
});

const recordingSchema = z.strictObject({
  format: z.literal(1),
  /** ISO 8601. */
  recordedAt: z.iso.datetime(),
  /** What the service calls models and fields, as in `DARKROOM_CONFIG`. */
  models: modelOverridesSchema,
  exchanges: z.array(exchange),
  /** Webhooks of the tasks that were bought, where some were waited for. */
  deliveries: z.array(delivery).optional(),
});

/** What one request was, and what a real service has answered. */
export type Exchange = z.infer<typeof exchange>;

/** A webhook that came in. */
export type RecordedDelivery = z.infer<typeof delivery>;

/** The HTTP exchange with an account, without its secrets. */
export type Recording = z.infer<typeof recordingSchema>;

/** @throws Error for what is no recording, with what is wrong in it */
export function readRecording(text: string): Recording {
  const parsed = recordingSchema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error(`it is no recording: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}
