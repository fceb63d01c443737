import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FailureDetails } from '../../../src/contract/generation.ts';
import { jsonBytes } from '../../../src/contract/json-bytes.ts';
import type { PipelineProgress, PipelineResult } from '../../../src/contract/pipeline.ts';
import { eventually, FAST, image, openWorld, type World } from '../world.ts';
import { chargesBelow, large, still } from './steps.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

it('eight steps whose data is 300 KB each end in a result that a payload holds', async () => {
  const long = { model: 'image-l', input: { prompt: { $param: 'text' } } };
  const handle = await world.pipeline({
    policy: FAST,
    params: { text: `a very long story ${'x'.repeat(300_000)}` },
    steps: {
      ...Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`step-${index}`, long])),
      last: large({ $from: 'step-7' }),
    },
  });
  const result = await handle.result();
  expect(result.status).toBe('COMPLETED');
  expect(jsonBytes(result)).toBeLessThan(1_000_000);
  expect(result.usage.total).toBe(8 * 8 + 4);
  const items = Object.values(result.steps).map((step) => ('result' in step ? step : undefined));
  for (const item of items) expect(item?.result.outputs).toHaveLength(1);
  const without = items.filter((item) => item?.omitted !== undefined);
  expect(without.map((item) => [item?.omitted, item?.result.data])).toEqual(
    without.map(() => [['data'], null]),
  );
  // As many as have room keep theirs.
  expect(items.length - without.length).toBeGreaterThanOrEqual(3);
});

it('steps that start together send no more at once than the server takes, however large their inputs are', async () => {
  const long = { model: 'image-l', input: { prompt: { $param: 'text' } } };
  const handle = await world.pipeline({
    policy: FAST,
    params: { text: 'x'.repeat(900_000) },
    steps: Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`step-${index}`, long])),
  });
  const result = await handle.result();
  expect(result.status).toBe('COMPLETED');
  expect(chargesBelow(world, handle.workflowId)).toHaveLength(9);
  for (const step of Object.values(result.steps))
    expect(step).toMatchObject({ result: { data: null, dataUri: expect.stringContaining('file:') } });
});

it('an input that takes the place of another is refused where both could not be handed on', async () => {
  const gated = (letter: string) => ({ ...still(letter.repeat(300_000)), approve: true });
  const handle = await world.pipeline({ policy: FAST, steps: { one: gated('x'), two: gated('x') } });
  const approve = (step: string, bytes: number): Promise<unknown> =>
    handle.executeUpdate('approve', { args: [{ step, input: { prompt: 'y'.repeat(bytes) } }] });
  await eventually(async () => {
    const { steps } = await handle.query<PipelineProgress>('progress');
    expect(steps).toMatchObject({ one: { status: 'approval' }, two: { status: 'approval' } });
  });
  // Each would fit by itself; they come together.
  const said = await Promise.allSettled([approve('one', 400_000), approve('two', 400_000)]);
  const refused = said.filter((one) => one.status === 'rejected');
  expect(refused).toMatchObject([
    { reason: { cause: { type: 'INVALID_REQUEST', message: expect.stringContaining('at most 1200000') } } },
  ]);
  const open = said[0].status === 'rejected' ? 'one' : 'two';
  // What is too much by itself is refused before it is recorded: histories have an end, too.
  const bytes = async (): Promise<number> => Number((await handle.describe()).historySize);
  const before = await bytes();
  for (const _ of [1, 2, 3])
    await expect(approve(open, 900_000)).rejects.toMatchObject({ cause: { type: 'INVALID_REQUEST' } });
  expect((await bytes()) - before).toBeLessThan(100_000);
  await approve(open, 100_000);
  expect((await handle.result()).status).toBe('COMPLETED');
});

it('a request that is larger than what a payload holds beside its result is refused', async () => {
  const steps = { a: { model: 'image-l', input: { prompt: 'x'.repeat(1_100_000) } } };
  const handle = await world.pipeline({ steps, policy: FAST });
  const { type, details } = await world.failureOf<FailureDetails>(handle);
  expect(type).toBe('INVALID_REQUEST');
  expect(details.errors).toEqual([{ path: 'request', message: expect.stringContaining('at most 1000000') }]);
  expect(chargesBelow(world, handle.workflowId)).toEqual([]);
});

it.each([
  ['pipeline', (deep: string) => `{"steps":{"a":{"model":"image-l","input":{"prompt":${deep}}}}}`],
  ['generation', (deep: string) => `{"model":"image-l","input":{"prompt":${deep}}}`],
])('a %s whose request has no bottom is refused, and the worker goes on', async (type, request) => {
  const workflowId = `${type}/${randomUUID()}`;
  const json = request(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  // A client's own converter would not get it out.
  const payload = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(json) };
  await world.client.workflowService.startWorkflowExecution({
    namespace: world.config.temporal.namespace,
    workflowId,
    requestId: randomUUID(),
    workflowType: { name: type },
    taskQueue: { name: world.config.taskQueue },
    input: { payloads: [payload] },
  });
  const failure = await world.failureOf<FailureDetails>(world.client.workflow.getHandle(workflowId));
  expect(failure.type).toBe('INVALID_REQUEST');
  expect(failure.message).toContain('nested deeper');
});

it('a generation whose request is larger than what its activities can be given is refused', async () => {
  const { type, message } = await world.fail(image('x'.repeat(1_100_000)));
  expect(type).toBe('INVALID_REQUEST');
  expect(message).toContain('at most 1000000');
});

it('a pipeline whose generations would have longer ids than every server holds is refused', async () => {
  const steps = { still: still('long id', 2), each: large({ $each: 'still' }) };
  const handle = await world.pipeline({ steps, policy: FAST }, `pipeline/${'k'.repeat(242)}`);
  const { type, details } = await world.failureOf<FailureDetails>(handle);
  expect(type).toBe('INVALID_REQUEST');
  expect(details.errors?.map(({ path }) => path)).toEqual(['steps.still', 'steps.each']);
  expect(chargesBelow(world, handle.workflowId)).toEqual([]);
});

it('a failure names the first cause, what was spent and what to do, in the order of the steps', async () => {
  world.fault({
    on: 'task',
    match: { promptIncludes: 'z-broken' },
    fault: { kind: 'fail', code: 'INVALID_INPUT' },
  });
  const steps = {
    zebra: still('z-broken'),
    yak: large({ $from: 'zebra' }),
    ant: still('fine'),
    bee: still('also z-broken'),
  };
  const { message, details } = await world.failureOf<PipelineResult>(
    await world.pipeline({ steps, policy: FAST }),
  );
  expect(message).toMatch(/^step zebra failed: IMAGE_GENERATION_INVALID_INPUT: /);
  expect(message).toContain('not completed: zebra (failed), yak (skipped), bee (failed)');
  expect(message).toContain('24 credits were spent');
  expect(message).toContain('a Reset');
  expect(Object.keys(details.steps)).toEqual(['zebra', 'yak', 'ant', 'bee']);
});
