import { isUtf8 } from 'node:buffer';
import { EVENT_STATES } from '../../api/events/event-types.ts';
import { isRecord } from '../../api/json/is-record.ts';
import { parseJson } from '../../api/json/parse-json.ts';
import { isTaskId } from '../../api/records/task-id.ts';

/** What the receiver reads of an event. The payload holds personal data; nothing else of it is kept. */
export interface ReceivedEvent {
  type: string;
  /** Always there for the event types of the API specification. */
  taskId: string | undefined;
  prediction: Record<string, unknown> | undefined;
}

/** An event that came in a verified delivery. */
export interface VerifiedEvent extends ReceivedEvent {
  webhookId: string;
  /** Whether the signature covers the id; the legacy one does not. */
  idIsSigned: boolean;
  /** Milliseconds since the epoch. */
  receivedAt: number;
}

/**
 * Reads an event out of a verified body. Written by hand because it runs for every delivery: only what routing
 * needs is looked at, unknown fields and event types pass.
 *
 * @returns undefined for what is no event: not UTF-8, not JSON, no object, no `event`, or a known event type
 *   without `prediction.id`
 */
export function parseEvent(body: Buffer): ReceivedEvent | undefined {
  if (!isUtf8(body)) return undefined;
  const value = parseJson(body.toString('utf8'));
  if (!isRecord(value)) return undefined;
  const { event: type, prediction } = value;
  if (typeof type !== 'string' || type === '') return undefined;
  if (!Object.hasOwn(EVENT_STATES, type)) return { type, taskId: undefined, prediction: undefined };
  if (!isRecord(prediction) || !isTaskId(prediction['id'])) return undefined;
  return { type, taskId: prediction['id'], prediction };
}
