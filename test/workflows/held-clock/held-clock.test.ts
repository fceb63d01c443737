import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { expect, inject, it } from 'vitest';
import { connectClient } from '../../../src/temporal/connection.ts';
import '../../setup/quiet-temporal.ts';
import { goSignal, slowQuery, type waitsForTheRest } from './workflows.ts';

it('is the same in a replay although a query was answered while a local activity ended', async () => {
  const address = inject('temporalAddress');
  const namespace = inject('temporalNamespace');
  const taskQueue = `held-clock-${randomUUID()}`;
  const workflowsPath = fileURLToPath(new URL('workflows.ts', import.meta.url));
  const workflowBundle = await bundleWorkflowCode({ workflowsPath });
  const connection = await NativeConnection.connect({ address });
  const client = await connectClient({ address, namespace });
  const activities = { nap: async (ms: number) => await delay(ms) };
  const working = async <T>(during: () => Promise<T>): Promise<T> => {
    const worker = await Worker.create({ connection, namespace, taskQueue, workflowBundle, activities });
    return await worker.runUntil(during);
  };
  try {
    const handle = await client.workflow.start<typeof waitsForTheRest>('waitsForTheRest', {
      taskQueue,
      workflowId: taskQueue,
    });
    await working(() => handle.query('__stack_trace'));
    // Together they wait for a worker: it gets the query with the task that begins the local activity.
    await handle.signal(goSignal);
    const asked = handle.query(slowQuery);
    await working(async () => await Promise.all([asked, handle.result()]));
    await Worker.runReplayHistory({ workflowBundle }, await handle.fetchHistory(), taskQueue);
    const { events } = await handle.fetchHistory();
    const started = events?.filter(({ timerStartedEventAttributes: timer }) => timer) ?? [];
    expect(started).toHaveLength(1);
  } finally {
    await client.connection.close();
    await connection.close();
  }
});
