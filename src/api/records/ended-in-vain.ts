import type { QueueState } from './generation-record.ts';

/** Whether a task in that state has ended and left nothing to take over. */
export function endedInVain(status: QueueState): boolean {
  return status === 'FAILED' || status === 'CANCELED';
}
