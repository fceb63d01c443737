import type { Client } from '@temporalio/client';
import { RESTORED_SINCE } from '../config/worker-variables.ts';
import { formatDuration } from '../policy/duration.ts';
import { retentionOf } from '../temporal/retention.ts';
import type { ReceiverLog } from '../webhooks/receiver-log.ts';

/**
 * Warns of a restore that is longer ago than Temporal keeps runs: it has deleted runs that have bought since, and of their
 * tasks the store alone tells, as of those that the restore has lost. A key that is started anew, as it may be by then,
 * would take them over.
 */
export async function checkRestored(
  client: Client,
  restoredSince: number | undefined,
  log: Pick<ReceiverLog, 'warn'>,
): Promise<void> {
  if (restoredSince === undefined) return;
  const kept = await retentionOf(client).catch(() => 0); // the worker has asked the server before, and will again
  if (kept === 0 || Date.now() - restoredSince < kept) return;
  log.warn(
    { restoredSince: new Date(restoredSince).toISOString() },
    `${RESTORED_SINCE.name} is longer ago than Temporal keeps runs (${formatDuration(kept)}): a key that is started anew may take over what its deleted run has stored; take the variable out`,
  );
}
