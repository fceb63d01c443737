import { Client } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toldUntil } from '../../../src/activities/parents/told-until.ts';
import { failTasks, still } from '../../workflows/pipeline/steps.ts';
import { eventually, FAST, openWorld, type World } from '../../workflows/world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** Of which nothing can be decoded that tells a price. */
function unreadable({ connection, options: { namespace } }: World['client']): Client {
  const refuse = (text: string): never => {
    throw new Error(`cannot be decoded: ${text.length} characters`);
  };
  const codec = {
    encode: async <T>(payloads: T) => payloads,
    decode: async <T extends { data?: Uint8Array | null }>(payloads: T[]) =>
      payloads.map((payload) => {
        const text = Buffer.from(payload.data ?? []).toString();
        return text.includes('"charged"') ? refuse(text) : payload;
      }),
  };
  return new Client({ connection, namespace, dataConverter: { payloadCodecs: [codec] } });
}

it('a run whose end cannot be read is not taken for one that has told nothing: all would be charged again', async () => {
  const prompt = 'failed, and cannot be read';
  failTasks(world, prompt);
  const handle = await world.pipeline({ policy: FAST, steps: { a: still(prompt) } });
  expect((await world.failureOf(handle)).type).toBe('PIPELINE_FAILED');
  const next = { workflowId: handle.workflowId, runId: 'a later run' };
  await eventually(async () => expect(await toldUntil(world.client, next)).not.toBeNull());
  await expect(toldUntil(unreadable(world.client), next)).rejects.toThrow('cannot be decoded');
});
