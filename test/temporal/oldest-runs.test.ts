import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';
import { countRuns, listRuns } from '../../src/temporal/list-runs.ts';
import { oldestRuns } from '../../src/temporal/oldest-runs.ts';
import { eventually } from '../eventually.ts';

let client: Awaited<ReturnType<typeof connectClient>>;
beforeAll(async () => {
  client = await connectClient({ address: inject('temporalAddress'), namespace: 'default' });
});
afterAll(() => client.connection.close());

it('the oldest run is found by few lists where more are open than one of them takes', async () => {
  const taskQueue = `without-workers-${randomUUID()}`;
  const conditions = [['TaskQueue', '=', taskQueue]] as const;
  const ids = Array.from({ length: 6 }, (_, n) => `${taskQueue}/${n}`);
  for (const workflowId of ids) await client.workflow.start('account', { workflowId, taskQueue });
  await eventually(async () => expect(await countRuns(client, conditions)).toBe(ids.length));
  const newest = await listRuns(client, conditions, 3);
  expect(newest.map(({ workflowId }) => workflowId)).not.toContain(ids[0]);
  let lists = 0;
  const list: typeof client.workflow.list = (options) => {
    lists += 1;
    return client.workflow.list(options);
  };
  const counting = { workflow: { list } } as unknown as typeof client; // all that is used of it
  const [oldest] = await oldestRuns(counting, conditions, 3);
  expect(oldest?.workflowId).toBe(ids[0]);
  expect(lists).toBeLessThan(15);
  const all = await oldestRuns(client, conditions, 10);
  expect(all.map(({ workflowId }) => workflowId)).toEqual(ids);
  await Promise.all(ids.map((workflowId) => client.workflow.getHandle(workflowId).terminate()));
});
