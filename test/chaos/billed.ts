import { MediaApi } from '../../src/api/client/media-api.ts';
import { reconcile } from '../../src/client/cost/reconcile.ts';
import { readBill } from '../../src/temporal/bill/read-bill.ts';
import type { BilledTask } from '../../src/temporal/bill/run-bill.ts';
import { type Stage, TASK_QUEUE } from './stage.ts';

/**
 * What `darkroom cost --reconcile` tells: what no run has told the end of is asked for at the API.
 *
 * @param since milliseconds since the epoch
 */
export async function billed(
  { client, emulator, apiKey }: Pick<Stage, 'client' | 'emulator' | 'apiKey'>,
  since: number,
): Promise<BilledTask[]> {
  const bill = await readBill(client, TASK_QUEUE, since);
  const api = new MediaApi(emulator.baseUrl);
  try {
    const callers = new Map([['default', { apiKey }]]);
    return (await reconcile({ client, api, taskQueue: TASK_QUEUE }, bill, callers)).tasks;
  } finally {
    await api.close();
  }
}
