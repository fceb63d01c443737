import { fileURLToPath } from 'node:url';
import type { Order } from '../../service/caller.ts';
import { TemporalService } from '../temporal-service.ts';
import * as activities from './activities.ts';

const service = new TemporalService('poll-in-activity');

/**
 * One activity that submits, polls often and heartbeats, under Temporal's default retries. For paid calls Temporal's
 * documentation advises a fixed number of attempts: with one, a lost answer is lost, as with `by-hand`.
 *
 * Left to its user: an activity that had submitted when its answer or its worker was lost, which submits again, and so
 * does a Reset; a worker's place for as long as a task takes; a GET a second for each task.
 */
export async function start(): Promise<void> {
  await service.start(fileURLToPath(new URL('workflows.ts', import.meta.url)), activities);
}

export async function generate({ number, prompt }: Order): Promise<string> {
  return await service.result('generation', number, [prompt]);
}
