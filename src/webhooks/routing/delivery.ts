import type { ReceivedEvent } from './parse-event.ts';

/** A verified delivery. */
export interface Delivery {
  webhookId: string;
  /** Whether the signature covers the id; the legacy one does not. */
  idIsSigned: boolean;
  event: ReceivedEvent;
  /** Milliseconds since the epoch. */
  receivedAt: number;
}
