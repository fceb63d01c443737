import { z } from 'zod';
import { EVENT_STATES, EVENT_TYPES } from './event-types.ts';

const state = z.enum(Object.values(EVENT_STATES));
const timestamp = z.iso.datetime({ offset: true }).nullable();

/** A generated asset. Which of its fields are there varies by model, so only their types are checked. */
const artifactSchema = z.looseObject({
  url: z.url().optional(),
  tags: z.array(z.unknown()).optional(),
  asset: z.looseObject({ url: z.url().optional() }).nullish(),
});

/**
 * The payload of a delivery as the API specification describes it: state and status are those of the event, a
 * failed task has its error and no artifacts, times are ISO 8601 and exist in the calendar. Services are held to it.
 */
export const webhookEventSchema = z
  .looseObject({
    event: z.enum(EVENT_TYPES),
    prediction: z.looseObject({
      id: z.string().min(1),
      state,
      status: state,
      input: z.record(z.string(), z.unknown()),
      template: z.record(z.string(), z.unknown()).nullable(),
      error: z.looseObject({ code: z.string().min(1), message: z.string() }).nullable(),
      logs: z.unknown(),
      created_at: timestamp,
      started_at: timestamp,
      completed_at: timestamp,
      workspace: z.string().nullable(),
      owner: z
        .looseObject({ id: z.int(), email: z.string(), name: z.string(), avatar: z.url().nullable() })
        .nullable(),
      artifacts: z.array(artifactSchema),
      credits: z.looseObject({ available: z.number(), usage: z.number() }),
    }),
  })
  .superRefine(({ event, prediction }, context) => {
    const blame = (field: string, message: string): void =>
      context.addIssue({ code: 'custom', path: ['prediction', field], message });
    const expected = EVENT_STATES[event];
    if (prediction.state !== expected) blame('state', `must be ${expected} for ${event}`);
    if (prediction.status !== prediction.state) blame('status', 'must be the same as state');
    if (event !== 'task.failed') return;
    if (prediction.error === null) blame('error', 'is missing for a failed task');
    if (prediction.artifacts.length > 0) blame('artifacts', 'must be empty for a failed task');
  });
export type WebhookEvent = z.infer<typeof webhookEventSchema>;
