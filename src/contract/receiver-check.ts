/** The event type of `doctor`'s own deliveries. A receiver answers one by itself: nothing else hears of it. */
export const RECEIVER_CHECK = 'darkroom.check';

/** What a receiver answers to a signed delivery of that type. Times are ISO 8601; null: nothing since it started. */
export interface ReceiverCheckAnswer {
  /** The delivery's own: so the answer is a receiver's, and to this delivery. */
  nonce: string;
  /** Signed events of this workspace since this receiver started. */
  events: { total: number; created: number; ended: number; lastAt: string | null };
}
