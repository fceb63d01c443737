import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PipelineResult } from '../../../src/contract/pipeline.ts';
import { deleteRuns } from '../../delete-run.ts';
import { patience } from '../../patience.ts';
import { resetRun } from '../../reset-run.ts';
import { eventually, FAST, openWorld, type World } from '../world.ts';
import { chargesBelow, failTasks, finishTask, hangTasks, large, latest, retryWith, still } from './steps.ts';

const ASK = { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } };
const OVERDUE = { ...ASK, deadline: '500ms' };

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const deleteBelow = async ({ workflowId }: { workflowId: string }, ...paths: string[]): Promise<void> =>
  void (await Promise.all(paths.map((path) => deleteRuns(world.client, `${workflowId}/${path}`))));

describe.concurrent('a Reset of a pipeline whose generations the server has deleted', {
  timeout: patience(120_000),
}, () => {
  it('takes over what had completed, by what its earlier run has written down', async () => {
    const steps = {
      pair: still('deleted in the end', 2),
      half: large({ $each: 'pair' }),
    };
    const handle = await world.pipeline({ policy: ASK, budget: { credits: 30 }, steps });
    const made = await handle.result();
    const bought = chargesBelow(world, handle.workflowId);
    await deleteBelow(handle, 'pair', 'half/0', 'half/1');
    // The later ones are repeated from where nothing tells the pipeline that it runs again.
    for (const point of [0, 0.5, 0.3]) {
      await resetRun(world.client, handle.workflowId, point);
      const again = await latest(world, handle.workflowId).result();
      expect(again).toMatchObject({ status: 'COMPLETED', usage: made.usage, charged: { total: 0 } });
    }
    expect(chargesBelow(world, handle.workflowId)).toEqual(bought);
  });

  it('charges itself for what a run has bought that told nobody', async () => {
    const steps = { a: still('untold'), b: { ...large({ $from: 'a' }), approve: true } };
    const handle = await world.pipeline({ policy: ASK, steps });
    await eventually(async () => {
      const progress = await handle.query<{ steps: Record<string, { status: string }> }>('progress');
      expect(progress.steps['b']?.status).toBe('approval');
    });
    await deleteBelow(handle, 'a');
    for (const point of [0, 0.5]) {
      await resetRun(world.client, handle.workflowId, point);
      await eventually(() => latest(world, handle.workflowId).query('progress'));
    }
    await eventually(() =>
      latest(world, handle.workflowId).executeUpdate('approve', { args: [{ step: 'b' }] }),
    );
    expect(await latest(world, handle.workflowId).result()).toMatchObject({
      usage: { total: 12 },
      charged: { total: 12 },
    });
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(2);
  });

  it('buys again what had plainly failed', async () => {
    failTasks(world, 'plainly failed');
    const handle = await world.pipeline({ policy: ASK, steps: { a: still('plainly failed') } });
    await world.failureOf(handle);
    await deleteBelow(handle, 'a');
    await resetRun(world.client, handle.workflowId);
    expect((await latest(world, handle.workflowId).result()).status).toBe('COMPLETED');
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(2);
  });

  it('adopts the task of one that was overdue', async () => {
    hangTasks(world, 'overdue and deleted');
    const handle = await world.pipeline({ policy: OVERDUE, steps: { a: still('overdue and deleted') } });
    const { details } = await world.failureOf<PipelineResult>(handle);
    expect(details.steps['a']).toMatchObject({ failure: { type: 'TASK_OVERDUE' } });
    const [taskId] = chargesBelow(world, handle.workflowId);
    await finishTask(world, taskId);
    await deleteBelow(handle, 'a');
    await resetRun(world.client, handle.workflowId);
    const { steps } = await latest(world, handle.workflowId).result();
    expect(steps['a']).toMatchObject({ status: 'COMPLETED', result: { taskId } });
    expect(chargesBelow(world, handle.workflowId)).toEqual([taskId]);
  });

  it('asks a person about one of which nobody has written down how it ended', async () => {
    const release = world.hold('nobody has written it down');
    const handle = await world.pipeline({ policy: ASK, steps: { a: still('nobody has written it down') } });
    const child = world.client.workflow.getHandle(`${handle.workflowId}/a`);
    await eventually(() => world.until(child, 'waiting'));
    await handle.terminate();
    release();
    await child.result();
    await deleteBelow(handle, 'a');
    await resetRun(world.client, handle.workflowId);
    await eventually(() => world.until(child, 'needs a decision'));
    const [taskId] = chargesBelow(world, handle.workflowId);
    await child.executeUpdate('decide', { args: [{ action: 'adopt', taskId }] });
    expect((await latest(world, handle.workflowId).result()).status).toBe('COMPLETED');
    expect(chargesBelow(world, handle.workflowId)).toEqual([taskId]);
  });
});

it('a held step that is tried again after its generation was deleted adopts its task', async () => {
  hangTasks(world, 'held for long');
  const steps = { a: { ...still('held for long'), onFailure: 'hold' as const } };
  const handle = await world.pipeline({ policy: OVERDUE, steps });
  await eventually(async () => {
    const progress = await handle.query<{ steps: Record<string, { status: string }> }>('progress');
    expect(progress.steps['a']?.status).toBe('held');
  });
  const [taskId] = chargesBelow(world, handle.workflowId);
  await finishTask(world, taskId);
  await deleteBelow(handle, 'a');
  await retryWith(world, handle, 'a', still('held for long').input);
  expect((await handle.result()).steps['a']).toMatchObject({ status: 'COMPLETED', result: { taskId } });
  expect(chargesBelow(world, handle.workflowId)).toEqual([taskId]);
});

it('a Reset asks about each step where the run that it repeats is deleted as well', async () => {
  const steps = { a: still('all is deleted'), b: { ...large({ $from: 'a' }), approve: true } };
  const handle = await world.pipeline({ policy: ASK, steps });
  await eventually(async () => {
    const progress = await handle.query<{ steps: Record<string, { status: string }> }>('progress');
    expect(progress.steps['b']?.status).toBe('approval');
  });
  const { runId } = await handle.describe();
  world.fault({ on: 'submit', match: { promptIncludes: 'all is deleted' }, fault: { kind: 'lost-after' } });
  await world.stopWorker();
  await resetRun(world.client, handle.workflowId);
  await deleteBelow(handle, 'a');
  const { namespace } = world.client.options;
  const workflowExecution = { workflowId: handle.workflowId, runId };
  await world.client.workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
  await eventually(() =>
    expect(world.client.workflow.getHandle(handle.workflowId, runId).describe()).rejects.toThrow(
      /not found/i,
    ),
  );
  await world.startWorker();
  const child = world.client.workflow.getHandle(`${handle.workflowId}/a`);
  await eventually(() => world.until(child, 'needs a decision'));
  expect(chargesBelow(world, handle.workflowId)).toHaveLength(1);
});

describe.concurrent('a pipeline whose generations the server has deleted', {
  timeout: patience(120_000),
}, () => {
  const steps = (what: string) => ({ pair: still(what, 2), half: large({ $each: 'pair' }) });

  it('buys nothing when it is started anew under its id', async () => {
    const request = { policy: ASK, steps: steps('deleted, started anew') };
    const handle = await world.pipeline(request);
    const made = await handle.result();
    const bought = chargesBelow(world, handle.workflowId);
    await deleteBelow(handle, 'pair', 'half/0', 'half/1');
    const again = await (await world.pipeline(request, handle.workflowId)).result();
    expect(again).toMatchObject({ status: 'COMPLETED', usage: made.usage, charged: { total: 0 } });
    expect(chargesBelow(world, handle.workflowId)).toEqual(bought);
  });

  it('is reused by another one all the same', async () => {
    const request = { policy: ASK, steps: steps('deleted, reused') };
    const first = await world.pipeline(request);
    await first.result();
    await deleteBelow(first, 'pair', 'half/0', 'half/1');
    const second = await world.pipeline({ ...request, reuse: first.workflowId });
    expect(await second.result()).toMatchObject({ status: 'COMPLETED', charged: { total: 0 } });
    expect(chargesBelow(world, second.workflowId)).toEqual([]);
  });
});
