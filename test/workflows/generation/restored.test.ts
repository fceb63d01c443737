import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Client, WorkflowStartOptions } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { knownTasks } from '../../../src/activities/generation/known-tasks.ts';
import type { GenerationRequest, GenerationResult, Progress } from '../../../src/contract/generation.ts';
import { taskCreatedSignal, unclaimedQuery } from '../../../src/contract/messages.ts';
import type { PipelineResult } from '../../../src/contract/pipeline.ts';
import { DarkroomTaskId } from '../../../src/contract/search-attributes.ts';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import { connectClient } from '../../../src/temporal/connection.ts';
import { noticeOf, toUnclaimedTasks } from '../../../src/temporal/unclaimed-tasks.ts';
import { type OwnNamespace, openOwnNamespace } from '../../../src/testing/own-namespace.ts';
import { patience } from '../../patience.ts';
import { eventually, FAST, image, openWorld, type World } from '../world.ts';

// The last one's folder tells its id only as a hash.
const KEYS = ['order-1', 'order-2', 'order-3', 'order-4', 'Order 5'];
const PIPELINE = {
  steps: {
    still: { model: 'image-l', input: { prompt: 'a lost still' } },
    large: { model: 'upscale-q', input: { image_url: { $from: 'still' } } },
  },
  policy: FAST,
};

/** Without an answer about an unknown submit it would buy again at once. */
const BUYING = { ...FAST, reconcile: { wait: '100ms', otherwise: 'resubmit' } };

let world: World;
let empty: OwnNamespace;
let restored: Client & { connection: { close(): Promise<void> } };
let before: GenerationResult[];
let pipelineBefore: PipelineResult;

/** All is bought, then Temporal forgets everything: workers go on with an empty database, and are told so. */
beforeAll(async () => {
  world = await openWorld();
  const since = Date.now();
  before = await Promise.all(
    KEYS.map(async (key) => await (await world.start(image(key), `generation/${key}`)).result()),
  );
  pipelineBefore = await (await world.pipeline(PIPELINE, 'pipeline/lost')).result();
  await (await world.start(image('as it was'), 'generation/changed')).result();
  for (const key of ['forgotten', 'seen', 'unread'])
    await (await world.start(image(key), `generation/${key}`)).result();
  world.loseWebhooks('handed over');
  const finish = ['under way', 'handed over'].map((key) => world.hold(key));
  for (const key of ['under way', 'handed over'])
    await world.until(await world.start(image(key), `generation/${key}`), 'waiting');
  await world.stopWorker();
  empty = await openOwnNamespace(inject('temporalAddress'));
  world.config.temporal = { ...world.config.temporal, namespace: empty.namespace };
  world.config.restoredSince = since;
  restored = await connectClient(world.config.temporal);
  await world.startWorker();
  for (const end of finish) end();
});
afterAll(async () => {
  await restored?.connection.close();
  await world?.close();
  await empty?.remove();
});

async function startAgain(
  request: GenerationRequest,
  workflowId: string,
  more: Pick<WorkflowStartOptions, 'typedSearchAttributes'> = {},
) {
  return await restored.workflow.start<(request: GenerationRequest) => Promise<GenerationResult>>(
    'generation',
    { taskQueue: world.config.taskQueue, workflowId, args: [request], ...more },
  );
}

/** All but how the run came by its task. The lost run's charge is this one's: sums over runs are still the bill. */
const used = (result: GenerationResult) => ({ ...result, attempts: undefined });

it('keys that were bought after the dump have the same results, and nothing is bought again', async () => {
  const after = await Promise.all(
    KEYS.map(async (key) => await (await startAgain(image(key), `generation/${key}`)).result()),
  );
  expect(after.map(used)).toEqual(before.map(used));
  expect(KEYS.map((key) => world.charges(`generation/${key}`).length)).toEqual(KEYS.map(() => 1));
});

it('a key whose task had not ended takes it over once its end has come', async () => {
  const entity = restored.workflow.getHandle(entityId('unclaimed-tasks', 'default', world.config.taskQueue));
  const [taskId = ''] = world.charges('generation/under way').map((charge) => charge.taskId);
  await eventually(async () => expect(await entity.query(unclaimedQuery)).toContain(taskId));
  const result = await (await startAgain(image('under way'), 'generation/under way')).result();
  expect(result).toMatchObject({ taskId, attempts: [{ taskId, adopted: true }] });
  expect(result.charged.total).toBeGreaterThan(0);
  expect(world.charges('generation/under way')).toHaveLength(1);
});

it('so does one whose task was handed over by a process that outlived the loss', async () => {
  const workflowId = 'generation/handed over';
  const [taskId = ''] = world.charges(workflowId).map((charge) => charge.taskId);
  const input = { prompt: 'handed over' };
  const task = { taskId, webhookId: 'msg', input, createdAt: null, receivedAt: Date.now() };
  const tasks = [noticeOf(task, workflowId)];
  const notices = { tasks, toldAt: Date.now() };
  const options = toUnclaimedTasks('default', world.config.taskQueue, taskCreatedSignal, notices);
  await restored.workflow.signalWithStart('unclaimedTasks', options);
  const result = await (await startAgain(image('handed over'), workflowId)).result();
  expect(result).toMatchObject({ taskId, attempts: [{ taskId, adopted: true }] });
  expect(world.charges(workflowId)).toHaveLength(1);
});

it('so do the steps of pipelines', async () => {
  const handle = await restored.workflow.start<(request: typeof PIPELINE) => Promise<PipelineResult>>(
    'pipeline',
    { taskQueue: world.config.taskQueue, workflowId: 'pipeline/lost', args: [PIPELINE] },
  );
  const { steps, charged } = await handle.result();
  const taskIds = (all: PipelineResult['steps']) =>
    Object.values(all).map((step) => ('result' in step ? step.result?.taskId : undefined));
  expect(taskIds(steps)).toEqual(taskIds(pipelineBefore.steps));
  expect(charged).toEqual(pipelineBefore.charged);
  const bought = ['still', 'large'].flatMap((step) => world.charges(`pipeline/lost/${step}`));
  expect(bought).toHaveLength(2);
});

it(
  'a key that was bought with another input asks a person, whatever its policy says, who may buy it',
  async () => {
    const handle = await startAgain(image('as it is now', BUYING), 'generation/changed');
    await world.until(handle, 'needs a decision');
    expect(await world.details(handle)).toMatch(/the store has files of task \S+, which has another prompt/);
    // Where a busy receiver has held events up, the last look takes up to two minutes, and the word may be refused.
    const decided = async (): Promise<string> => {
      const { state } = await handle.query<Progress>('progress');
      if (state === 'needs a decision')
        await handle.executeUpdate('decide', { args: [{ action: 'resubmit' }] });
      return (await handle.describe()).status.name;
    };
    await expect.poll(decided, { interval: 2_000, timeout: patience(200_000) }).toBe('COMPLETED');
    expect(world.charges('generation/changed')).toHaveLength(2);
  },
  patience(240_000),
);

it('a purchase that Temporal knows of is not lost: a start that buys anew does so', async () => {
  const first = await (await startAgain(image('known'), 'generation/known')).result();
  const second = await (await startAgain(image('known'), 'generation/known')).result();
  expect(second.taskId).not.toBe(first.taskId);
});

it('a purchase that visibility still shows of the run itself is taken over', async () => {
  const [taskId = ''] = world.charges('generation/seen').map((charge) => charge.taskId);
  const typedSearchAttributes = new TypedSearchAttributes([{ key: DarkroomTaskId, value: taskId }]);
  const handle = await startAgain(image('seen'), 'generation/seen', { typedSearchAttributes });
  expect((await handle.result()).taskId).toBe(taskId);
  expect(world.charges('generation/seen')).toHaveLength(1);
});

it('a purchase is lost that visibility shows of a run which the main database does not have', async () => {
  const taskIds = before.map(({ taskId }) => taskId);
  expect(await knownTasks(world.client, taskIds, undefined)).toEqual(new Set(taskIds));
  // Two servers' halves: visibility from before, the main database from after.
  const list: Client['workflow']['list'] = (options) => world.client.workflow.list(options);
  const workflow = Object.assign(Object.create(restored.workflow), { list });
  const torn = Object.create(restored, { workflow: { value: workflow } }) as Client; // its prototype is one
  expect(await knownTasks(torn, taskIds, undefined)).toEqual(new Set());
});

it('a purchase whose record cannot be read for long asks a person', async () => {
  const fault = { kind: 'error', code: 'UNAUTHORIZED' } as const;
  world.fault({ on: 'get', id: 'unread', match: { promptIncludes: 'unread' }, fault });
  const handle = await startAgain(image('unread', BUYING), 'generation/unread');
  await world.until(handle, 'needs a decision');
  expect(await world.details(handle)).toMatch(/bought cannot be read now: the record of task/);
  expect(world.charges('generation/unread')).toHaveLength(1);
  await handle.terminate();
});

it('a key without files in the store is bought', async () => {
  const folder = before[0]?.outputs[0]?.stored.uri ?? '';
  const path = fileURLToPath(new URL('../generation+forgotten', folder));
  await rm(path, { recursive: true });
  const { charged } = await (await startAgain(image('forgotten'), 'generation/forgotten')).result();
  expect(charged.total).toBeGreaterThan(0);
});
