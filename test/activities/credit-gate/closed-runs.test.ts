import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { closedRuns } from '../../../src/activities/credit-gate/closed-runs.ts';
import { connectClient } from '../../../src/temporal/connection.ts';
import { isBookings } from '../../../src/workflows/account/read-state.ts';

let client: Awaited<ReturnType<typeof connectClient>>;
beforeAll(async () => {
  client = await connectClient({ address: inject('temporalAddress'), namespace: 'default' });
});
afterAll(() => client.connection.close());

it('an id that the server takes for none has no run: whoever asks for it does not ask for ever', async () => {
  const ids = ['x'.repeat(3_000), '', 'generation/not-there'];
  expect(
    await closedRuns(
      client,
      ids.map((workflowId) => ({ workflowId, runId: null })),
    ),
  ).toEqual([0, 1, 2]);
});

it('a run that may still be started is not over', async () => {
  const run = { workflowId: `batch/${randomUUID()}/row`, runId: null };
  const since = Date.now();
  expect(
    await closedRuns(client, [
      { ...run, since },
      { ...run, since: since - 600_000 },
    ]),
  ).toEqual([1]);
  const before = await client.workflow.start('unknown', { workflowId: run.workflowId, taskQueue: 'none' });
  await before.terminate();
  const looked = [since - 1, Date.now() + 1_000].map((from) => ({ ...run, since: from }));
  expect(await closedRuns(client, looked)).toEqual([0]);
});

it('an account holds credits for no id that is empty', () => {
  const hold = (workflowId: string) =>
    isBookings([{ kind: 'hold', workflowId, limit: 1, since: 1, purchases: [] }]);
  expect([hold('batch/a/b'), hold('')]).toEqual([true, false]);
});
