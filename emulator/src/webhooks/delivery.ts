import type { EventType } from '../../../src/api/events/event-types.ts';
import type { WebhookFault } from '../faults/rule.ts';

/** `success`: a 2xx came back; `failed`: retries exhausted or it could not be queued (API specification). */
type DeliveryState = 'pending' | 'processing' | 'success' | 'failed';

/** One POST of a delivery, and what came of it. Times in milliseconds. */
export interface Attempt {
  at: number;
  took: number;
  /** The receiver's status; null: no answer came, `error` says why. */
  status: number | null;
  /** The beginning of the receiver's answer. */
  answer: string;
  error: string | null;
}

/** One event on its way to one endpoint. */
export interface Delivery {
  id: string;
  /** `webhook-id`: the same for every attempt, and for every endpoint that gets the event. */
  eventId: string;
  endpointId: string;
  workspace: string;
  type: EventType;
  taskId: string;
  test: boolean;
  /** The exact bytes that are sent. */
  body: string;
  state: DeliveryState;
  attempts: Attempt[];
  createdAt: number;
  nextAttemptAt: number | null;
  fault: WebhookFault | null;
}
