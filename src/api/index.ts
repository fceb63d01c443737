/** `temporal-darkroom/api`: the media API's contract: records, codes, events. */
export { CREDITS_CODES, GENERATION_CODES, GET_CODES, type GenerationCode, generationCode } from './codes.ts';
export { type ErrorBody, errorBodySchema } from './error-body.ts';
export { EVENT_TYPES, type EventType, TERMINAL_EVENTS } from './events/event-types.ts';
export { type WebhookEvent, webhookEventSchema } from './events/webhook-event.ts';
export { ERROR_PREFIX, FAMILIES, type Family } from './family.ts';
export type { FieldError } from './input/field-error.ts';
export { validateInput } from './input/validate-input.ts';
export { type Credits, creditsSchema } from './records/credits.ts';
export {
  type GenerationRecord,
  generationSchema,
  QUEUE_STATES,
  type QueueState,
  readGenerationSchema,
  TERMINAL_STATES,
} from './records/generation-record.ts';
export { type OutputAsset, outputAssets } from './records/output-assets.ts';
export type { Usage } from './records/usage.ts';
