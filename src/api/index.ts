/** `temporal-darkroom/api`: the media API's contract: records, codes, events. */
export { CREDITS_CODES, GENERATION_CODES, GET_CODES, type GenerationCode, generationCode } from './codes.ts';
export { type Credits, creditsSchema } from './credits.ts';
export { type ErrorBody, errorBodySchema } from './error-body.ts';
export { EVENT_TYPES, type EventType, TERMINAL_EVENTS } from './event-types.ts';
export { ERROR_PREFIX, FAMILIES, type Family } from './family.ts';
export type { FieldError } from './field-error.ts';
export {
  type GenerationRecord,
  generationSchema,
  QUEUE_STATES,
  type QueueState,
  readGenerationSchema,
  TERMINAL_STATES,
} from './generation-record.ts';
export { type OutputAsset, outputAssets } from './output-assets.ts';
export type { Usage } from './usage.ts';
export { validateInput } from './validate-input.ts';
export { type WebhookEvent, webhookEventSchema } from './webhook-event.ts';
