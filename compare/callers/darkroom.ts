import { readFile } from 'node:fs/promises';
import { DarkroomClient } from '../../src/client/index.ts'; // of the package: 'temporal-darkroom'
import type { Order } from '../service/caller.ts';

let darkroom: DarkroomClient;

export async function start(): Promise<void> {
  darkroom = await DarkroomClient.connect(); // TEMPORAL_ADDRESS
}

/**
 * As the README has it, with the order as its key. Beside it runs the worker with its receiver, as `npm run worker`
 * starts it, under the default policy.
 *
 * Left to its user: a Temporal server and the worker; a person's answer where a submit's fate cannot be found out.
 */
export async function generate({ number, prompt }: Order): Promise<Uint8Array> {
  const { outputs } = await darkroom.generate('image-l', { prompt }, { key: `order-${number}` });
  return await readFile(new URL(outputs[0]?.stored.uri ?? ''));
}
