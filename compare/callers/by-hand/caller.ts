import { fileURLToPath } from 'node:url';
import type { Order } from '../../service/caller.ts';
import { TemporalService } from '../temporal-service.ts';
import * as activities from './activities.ts';
import { listenForWebhooks } from './webhooks.ts';

const service = new TemporalService('by-hand');

/**
 * A worker written by hand, by somebody careful: nothing is sent again that may have been charged, webhooks with a
 * look as their fallback, the tasks' workflows on the disk.
 *
 * Left to its user: a task whose answer or whose worker was lost during the submit, which is paid and found by nobody
 * (the events of its end come, and carry its input: who writes his prompts down before he submits could find it); a
 * Reset, which buys again.
 */
export async function start(): Promise<void> {
  const client = await service.start(fileURLToPath(new URL('workflows.ts', import.meta.url)), activities);
  listenForWebhooks(client);
}

export async function generate({ number, prompt }: Order): Promise<string> {
  return await service.result('generation', number, [prompt]);
}
