import { z } from 'zod';
import { EVENT_STATES, EVENT_TYPES } from './event-types.ts';

/** The payload exactly as the API specification describes it; the emulator is held to it. */
export const webhookEventSchema = z.looseObject({
  event: z.enum(EVENT_TYPES),
  prediction: z.looseObject({
    id: z.string().min(1),
    state: z.enum(Object.values(EVENT_STATES)),
    status: z.enum(Object.values(EVENT_STATES)),
    input: z.record(z.string(), z.unknown()),
    template: z.record(z.string(), z.unknown()).nullable(),
    error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
    logs: z.unknown(),
    created_at: z.iso.datetime().nullable(),
    started_at: z.iso.datetime().nullable(),
    completed_at: z.iso.datetime().nullable(),
    workspace: z.string().nullable(),
    owner: z
      .looseObject({ id: z.int(), email: z.string(), name: z.string(), avatar: z.string().nullable() })
      .nullable(),
    artifacts: z.array(z.looseObject({ url: z.string().optional() })),
    credits: z.looseObject({ available: z.number(), usage: z.number() }),
  }),
});
export type WebhookEvent = z.infer<typeof webhookEventSchema>;
