import { Client, Connection } from '@temporalio/client';
import { expect, it } from 'vitest';
import { isSpent } from '../../src/client/starting/spent-key.ts';
import type { LatestRun } from '../../src/temporal/latest-run.ts';

/** It is not asked: what the run tells of its own attempts does not count. */
const client = new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) });

const FAILED: LatestRun<unknown> = {
  runId: 'run-1',
  type: 'generation',
  taskQueue: 'darkroom',
  status: 'FAILED',
  isClosed: true,
  closedAt: 1,
  isFirst: true,
  startedAt: 0,
  memo: {},
  state: undefined,
  taskId: undefined,
  request: { model: 'image-l', input: {} },
};

it.each<[what: string, run: Partial<LatestRun<unknown>>]>([
  ['is under way', { status: 'RUNNING', isClosed: false }],
  ['is completed', { status: 'COMPLETED' }],
  ['was ended from outside', { status: 'TERMINATED' }],
  ['goes on from another one, as after a Reset: that one may have bought something', { isFirst: false }],
  [
    'was started to go on from an earlier one',
    { request: { model: 'image-l', input: {}, earlierRun: 'run-0' } },
  ],
])('a key is spent by a run that %s', async (_, run) => {
  const asks = new Promise((resolve) => setImmediate(resolve, 'it asks Temporal'));
  expect(await Promise.race([isSpent(client, 'generation/a', { ...FAILED, ...run }), asks])).toBe(true);
});
