import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker } from '@temporalio/worker';
import { expect, inject, it } from 'vitest';
import { connectClient } from '../../../src/temporal/connection.ts';
import '../../setup/quiet-temporal.ts';
import { goSignal, meanwhileSignal, slowQuery } from './workflows.ts';

/** Has a query answered while a workflow's local activity ends, and replays the run. */
async function askedMeanwhile<T>(
  workflow: string,
  meanwhile?: (handle: WorkflowHandle) => Promise<void>,
): Promise<{ result: T; types: string[] }> {
  const address = inject('temporalAddress');
  const namespace = inject('temporalNamespace');
  const taskQueue = `in-order-${randomUUID()}`;
  const workflowsPath = fileURLToPath(new URL('workflows.ts', import.meta.url));
  const workflowBundle = await bundleWorkflowCode({ workflowsPath });
  const connection = await NativeConnection.connect({ address });
  const client = await connectClient({ address, namespace });
  try {
    const handle = await client.workflow.start(workflow, { taskQueue, workflowId: taskQueue });
    const activities = {
      async nap(ms: number) {
        await meanwhile?.(handle);
        await delay(ms);
      },
    };
    const working = async <R>(during: () => Promise<R>): Promise<R> => {
      const worker = await Worker.create({ connection, namespace, taskQueue, workflowBundle, activities });
      return await worker.runUntil(during);
    };
    await working(() => handle.query('__stack_trace'));
    // Together they wait for a worker: it gets the query with the task that begins the local activity.
    await handle.signal(goSignal);
    const asked = handle.query(slowQuery);
    const [, result] = await working(async () => await Promise.all([asked, handle.result()]));
    const history = await handle.fetchHistory();
    await Worker.runReplayHistory({ workflowBundle }, history, taskQueue);
    return { result, types: history.events?.map(({ attributes }) => attributes ?? '') ?? [] };
  } finally {
    await client.connection.close();
    await connection.close();
  }
}

it('the clock is the same in a replay although a query was answered while a local activity ended', async () => {
  const { types } = await askedMeanwhile('waitsForTheRest');
  expect(types.filter((type) => type === 'timerStartedEventAttributes')).toHaveLength(1);
});

it('what comes while a local activity is open is told after its end, in a replay too', async () => {
  const signalled = (handle: WorkflowHandle): Promise<void> => handle.signal(meanwhileSignal);
  const { result, types } = await askedMeanwhile('hearsMeanwhile', signalled);
  // What it is about: the end is recorded before the signal, and told with it.
  expect(types.indexOf('markerRecordedEventAttributes')).toBeLessThan(
    types.lastIndexOf('workflowExecutionSignaledEventAttributes'),
  );
  expect(result).toEqual({ isBefore: false, isLater: true });
});
