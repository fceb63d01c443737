import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError } from '@temporalio/client';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { BatchHandle } from '../../src/client/batch-handle.ts';
import { wholeOutputs } from '../../src/client/files/whole-outputs.ts';
import {
  DarkroomClient,
  type GenerationHandle,
  InvalidRequestError,
  KeyInUseError,
  type RowResult,
  RunCancelledError,
} from '../../src/client/index.ts';
import { leftBy } from '../../src/client/plan/price-book.ts';
import { definePipeline } from '../../src/pipeline/index.ts';
import { RESULT_SCHEMAS } from '../../src/schemas/result-schemas.ts';
import { deleteRuns } from '../delete-run.ts';
import { emptyFolder } from '../outputs/folder.ts';
import { rejection } from '../rejection.ts';
import { eventually, FAST, openWorld, type World } from '../workflows/world.ts';

let world: World;
let darkroom: DarkroomClient;

beforeAll(async () => {
  world = await openWorld();
  const { taskQueue, outputs } = world.config;
  darkroom = new DarkroomClient(world.client, {
    taskQueue,
    outputs: outputs.kind === 'folder' ? outputs.path : '',
  });
});
afterAll(() => world.close());

const postcards = (prompt: string) => ({
  steps: { still: { model: 'image-l', input: { prompt: { $param: 'prompt' } } } },
  params: { prompt },
  policy: FAST,
});
const charged = (batch: BatchHandle, row: string): number =>
  world.charges(`${batch.workflowId}/${row}/still`).length;

async function listed(rows: AsyncIterable<RowResult>): Promise<RowResult[]> {
  const all: RowResult[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

describe('a batch', () => {
  it('buys each row once, whoever starts it how often, and tells what has become of each', async () => {
    const bad = randomUUID();
    const { id } = world.emulator.service().faults.add({
      on: 'task',
      match: { promptIncludes: bad },
      fault: { kind: 'fail', code: 'INVALID_INPUT' },
    });
    const rows = [
      { city: 'oslo', prompt: 'Oslo' },
      { city: 'rome', prompt: bad },
    ];
    const options = { key: randomUUID(), rowKey: 'city' };
    const batch = await darkroom.startBatch(postcards(''), rows, options);
    expect(batch.attached).toBe(false);
    const again = await darkroom.startBatch(postcards(''), rows, options);
    expect([again.attached, again.workflowId, again.runId]).toEqual([true, batch.workflowId, batch.runId]);
    expect(await batch.result()).toMatchObject({ status: 'PARTIAL', completed: 1, failed: 1, rows: 2 });
    expect(await darkroom.runBatch(postcards(''), rows, options)).toEqual(await batch.result());

    const attached = await darkroom.attach(batch.workflowId);
    if (attached.kind !== 'batch') throw new Error('it is a batch');
    const [oslo, rome] = await listed(attached.rows());
    expect(oslo).toMatchObject({ id: 'oslo', row: rows[0], status: 'COMPLETED', failure: null });
    expect(oslo?.outputs['still']).toHaveLength(1);
    expect(rome).toMatchObject({ id: 'rome', status: 'FAILED', failure: { type: 'PIPELINE_FAILED' } });
    const row = await darkroom.attach<ReturnType<typeof postcards>>(`${batch.workflowId}/oslo`);
    expect((await row.result()).status).toBe('COMPLETED');

    world.emulator.service().faults.remove(id);
    const mended = await darkroom.runBatch(postcards(''), rows, { ...options, retryFailed: true });
    expect(mended).toMatchObject({ status: 'COMPLETED', completed: 2 });
    expect(charged(batch, 'oslo')).toBe(1);
  });

  it('is found, read and cancelled as a run of another kind is', async () => {
    const order = randomUUID();
    const prompt = randomUUID();
    const release = world.hold(prompt);
    const document = { ...postcards(prompt), tags: { order } };
    const batch = await darkroom.startBatch(document, [{ id: 'one' }], { rowKey: 'id' });
    const { workflowId } = batch;
    await eventually(() => expect(charged(batch, 'one')).toBe(1));
    await eventually(async () => {
      const { runs } = await darkroom.list({ type: 'batch', tags: { order } });
      expect(runs).toMatchObject([{ workflowId, type: 'batch', status: 'RUNNING' }]);
    });
    const { type, progress } = await darkroom.get(workflowId);
    expect({ type, progress }).toMatchObject({ type: 'batch', progress: { rows: 1, running: [0] } });
    for (const [kind, id] of [
      ['batch', workflowId],
      ['pipeline', `${workflowId}/one`],
      ['generation', `${workflowId}/one/still`],
    ] as const) {
      const isValid = new Ajv2020({ strict: false }).compile(
        RESULT_SCHEMAS[`${kind}-progress.json`] ?? false,
      );
      isValid((await darkroom.get(id)).progress);
      expect({ kind, errors: isValid.errors }).toEqual({ kind, errors: null });
    }
    expect(
      await rejection(darkroom.startBatch(document, [{ id: 'two' }], { key: workflowId })),
    ).toBeInstanceOf(KeyInUseError);
    expect(await rejection(darkroom.decide(workflowId, { action: 'resubmit' }))).toBeInstanceOf(TypeError);
    await darkroom.cancel(workflowId);
    const error = await rejection(batch.result());
    expect(error).toBeInstanceOf(RunCancelledError);
    expect(error).toMatchObject({ advice: expect.stringContaining('retryFailed') as unknown });
    release();
  });

  it('says which rows it cannot name, where the server has deleted a page of them', async () => {
    const { workflowId } = await world.client.workflow.start('batch', {
      workflowId: `batch/${randomUUID()}`,
      taskQueue: 'nobody',
      args: [{ pipeline: postcards(''), pages: [{ workflowId: `rows/${randomUUID()}`, rows: 2 }] }],
    });
    const batch = await darkroom.attach(workflowId);
    if (batch.kind !== 'batch') throw new Error('it is a batch');
    const error = await rejection(listed(batch.rows()));
    expect(error).toBeInstanceOf(WorkflowNotFoundError);
    expect(error).toMatchObject({ message: 'the server has deleted what names the rows 1 to 2' });
    const started = { runId: randomUUID(), taskQueue: 'nobody', attached: true };
    const deleted = new BatchHandle(world.client, `batch/${randomUUID()}`, started);
    expect(await rejection(listed(deleted.rows()))).toMatchObject({
      message: 'the server has deleted the batch',
    });
  });

  it('tells what has become of a row that is Reset while it is waited for', async () => {
    const prompt = randomUUID();
    const release = world.hold(prompt);
    const batch = await darkroom.startBatch(postcards(prompt), [{ id: 'one' }], { rowKey: 'id' });
    await eventually(() => expect(charged(batch, 'one')).toBe(1));
    const rows = listed(batch.rows());
    await eventually(async () => {
      // Its generation is waited for by then: the pipeline has something to be Reset to.
      expect((await darkroom.get(`${batch.workflowId}/one`)).progress).toMatchObject({ steps: {} });
    });
    await darkroom.reset(`${batch.workflowId}/one`);
    release();
    expect(await rows).toMatchObject([{ id: 'one', status: 'COMPLETED', outputs: { still: [{}] } }]);
    expect(charged(batch, 'one')).toBe(1);
  });

  it('is not taken for his by a caller with other rows, although the two start it at the same moment', async () => {
    const key = randomUUID();
    const start = (id: string) =>
      darkroom.startBatch(postcards('of two callers'), [{ id }], { key, rowKey: 'id' });
    const ends = await Promise.allSettled([start('one'), start('two')]);
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
    expect(refused).toEqual([expect.any(KeyInUseError)]);
    for (const end of ends) if (end.status === 'fulfilled') await end.value.result();
  });

  it('is refused with each row that is wrong, before anything is started', async () => {
    const steps = { still: { model: 'image-l', input: { prompt: '{{prompt}}', n: { $param: 'n' } } } };
    const rows = [
      { prompt: 'fine', n: 1 },
      { prompt: 'wrong', n: 'one' },
    ];
    const key = randomUUID();
    const error = await rejection(darkroom.startBatch({ steps }, rows, { key }));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ errors: [{ path: 'rows[1]: steps.still.input.n' }] });
    const equal = await rejection(darkroom.startBatch(postcards('x'), [{ a: 1 }, { a: 1 }], { key }));
    expect(equal).toMatchObject({
      reason: expect.stringContaining('rows[0] and rows[1] are equal') as unknown,
    });
    expect(await rejection(darkroom.startBatch(postcards('x'), [], { key }))).toBeInstanceOf(
      InvalidRequestError,
    );
    expect(await rejection(darkroom.attach(`batch/${key}`))).toMatchObject({ name: 'WorkflowNotFoundError' });
  });
});

it('a plan tells what a start would buy and for how much, and starts nothing', async () => {
  const input = { prompt: randomUUID() };
  const key = randomUUID();
  await darkroom.generate('image-m', input, { policy: FAST });
  const plan = await eventually(async () => {
    const now = await darkroom.plan('image-m', input, { key, policy: FAST });
    // Visibility shows a little late what has ended.
    expect(now.unknownPrices).toBe(0);
    return now;
  });
  expect(plan).toMatchObject({ bought: 1, generations: [{ model: 'image-m', action: 'buy' }] });
  expect(plan.credits).toBeGreaterThan(0);
  expect(world.charges(`generation/${key}`)).toEqual([]);
  await darkroom.generate('image-m', input, { key, policy: FAST });
  expect(await darkroom.plan('image-m', input, { key })).toMatchObject({ bought: 0, credits: 0 });
  const another = { ...input, prompt: 'another' };
  expect(await rejection(darkroom.plan('image-m', another, { key }))).toBeInstanceOf(KeyInUseError);

  const film = definePipeline(({ step }) => {
    const still = step('image-m', input);
    return { still, large: step('upscale-q', { image_url: still.output }) };
  });
  expect(await darkroom.plan(film)).toMatchObject({
    generations: [{ path: 'still', credits: plan.credits }, { path: 'large' }],
  });
  const document = { steps: { still: { model: 'image-m', input: { prompt: '{{prompt}}' } } } };
  const rows = ['one', 'two', 'three'].map((prompt) => ({ prompt }));
  const batch = await darkroom.planBatch(document, rows);
  expect(batch).toMatchObject({ rows: 3, credits: 3 * plan.credits });
  expect(await rejection(darkroom.plan('image-l', { prompt: 'many', n: 99 }))).toBeInstanceOf(
    InvalidRequestError,
  );
});

it('a plan of a batch is the sum of its rows, however many there are', async () => {
  await Promise.all(
    [1, 2].map((n) => darkroom.generate('image-l', { prompt: randomUUID(), n }, { policy: FAST })),
  );
  const document = {
    steps: { picture: { model: 'image-l', input: { prompt: '{{prompt}}', n: { $param: 'n' } } } },
  };
  const options = { key: randomUUID(), rowKey: 'id' };
  // Those that come last cost twice as much.
  const rows = Array.from({ length: 1_010 }, (_, index) => ({
    id: `r${index}`,
    prompt: 'a city',
    n: index < 1_000 ? 1 : 2,
  }));
  const priceOf = async (n: number): Promise<number> =>
    (await darkroom.plan('image-l', { prompt: randomUUID(), n })).credits;
  const [one, two] = await eventually(async () => {
    const prices = [await priceOf(1), await priceOf(2)] as const;
    // Visibility shows a little late what has ended.
    expect(prices[1]).toBeGreaterThan(prices[0]);
    return prices;
  });
  await darkroom.runBatch(document, rows.slice(-2), options);
  const plan = await darkroom.planBatch(document, rows, options);
  expect(plan).toMatchObject({ rows: 1_010, there: 2, credits: 1_000 * one + 8 * two });
  expect(plan.first?.credits).toBe(one);
});

it('a plan of a batch counts the rows that are there already for nothing, as its start does', async () => {
  const failing = randomUUID();
  const { id: fault } = world.emulator.service().faults.add({
    on: 'task',
    match: { promptIncludes: failing },
    fault: { kind: 'fail', code: 'INVALID_INPUT' },
  });
  const options = { key: randomUUID(), rowKey: 'city' };
  const row = (city: string, prompt = city) => ({ city, prompt });
  const rows = [row('oslo'), row('rome', failing)];
  await darkroom.runBatch(postcards(''), rows, options);
  world.emulator.service().faults.remove(fault);
  const planned = (some: typeof rows, retryFailed?: boolean) =>
    darkroom.planBatch(postcards(''), some, { ...options, retryFailed });
  expect(await planned(rows)).toMatchObject({ rows: 2, there: 2, credits: 0, first: null });
  expect(await planned(rows, true)).toMatchObject({ there: 1, first: { bought: 1 } });
  const more = await planned([...rows, row('bergen')]);
  expect(more).toMatchObject({ rows: 3, there: 2, first: { bought: 1 } });
  expect(more.credits).toBe(more.first?.credits);
  // The id of a row belongs to another request: the batch buys nothing for it.
  expect(await planned([row('oslo', 'another')])).toMatchObject({ there: 1, credits: 0 });

  world.loseWebhooks(failing);
  const hanging = { on: 'task', match: { promptIncludes: failing }, fault: { kind: 'hang' } } as const;
  world.fault(hanging);
  const slow = await darkroom.startBatch(postcards(''), rows, { ...options, retryFailed: true });
  expect(await planned(rows)).toMatchObject({ there: 2, credits: 0 });
  expect(await rejection(planned([row('rome')]))).toBeInstanceOf(KeyInUseError);
  await slow.cancel();
});

it('a plan learns nothing from a run that the server deletes while it is read', async () => {
  const handle = await darkroom.start('image-l', { prompt: randomUUID() }, { policy: FAST });
  await handle.result();
  const { workflowId } = handle;
  const { runId } = await world.client.workflow.getHandle(workflowId).describe();
  expect(await leftBy(world.client, workflowId, runId)).toMatchObject({
    attempts: [{ outcome: 'completed' }],
  });
  await deleteRuns(world.client, workflowId);
  expect(await leftBy(world.client, workflowId, runId)).toBe(null);
});

it('a plan of a batch counts a row that is completed in part as its start does', async () => {
  const failing = randomUUID();
  const { id: fault } = world.emulator.service().faults.add({
    on: 'task',
    match: { promptIncludes: failing },
    fault: { kind: 'fail', code: 'INVALID_INPUT' },
  });
  const steps = {
    good: { model: 'image-m', input: { prompt: '{{city}}' } },
    bad: { model: 'image-m', input: { prompt: failing } },
  };
  const document = { steps, policy: FAST, allowPartial: true };
  const rows = [{ city: 'oslo' }];
  const options = { key: randomUUID(), rowKey: 'city' };
  expect(await darkroom.runBatch(document, rows, options)).toMatchObject({ completed: 0, failed: 1 });
  world.emulator.service().faults.remove(fault);
  expect(await darkroom.planBatch(document, rows, options)).toMatchObject({ there: 1, first: null });
  const again = { ...options, retryFailed: true };
  expect(await darkroom.planBatch(document, rows, again)).toMatchObject({ there: 0, first: { bought: 2 } });
  expect(await darkroom.runBatch(document, rows, again)).toMatchObject({ completed: 1, failed: 0 });
  expect(await darkroom.planBatch(document, rows, again)).toMatchObject({ there: 1, first: null });
});

it('models are described as the worker takes them', () => {
  const own = new DarkroomClient(world.client, { models: { 'image-l': { path: 'own/path' } } });
  expect(own.models().map(({ id }) => id)).toContain('video-f');
  expect(own.models('image-l')).toMatchObject({ id: 'image-l', path: 'own/path' });
  expect(own.models('image-l').fields.find(({ name }) => name === 'prompt')).toMatchObject({
    required: true,
  });
});

it('the balance is asked from the API with the settings of the worker', async () => {
  const { emulator, config } = world;
  const settings = {
    TEMPORAL_ADDRESS: config.temporal.address,
    TEMPORAL_NAMESPACE: config.temporal.namespace,
    DARKROOM_API_URL: emulator.baseUrl,
    DARKROOM_OUTPUTS: await emptyFolder(),
  };
  await using client = await DarkroomClient.connect({ ...settings, DARKROOM_API_KEY: emulator.apiKey });
  expect(await client.credits()).toMatchObject({ workspace: 'default', permanent: 1_000_000 });
  expect(await rejection(client.credits({ workspace: 'film' }))).toBeInstanceOf(RangeError);
  expect(await rejection(client.credits({ signal: AbortSignal.abort('enough') }))).toBe('enough');
  await using wrong = await DarkroomClient.connect({ ...settings, DARKROOM_API_KEY: 'wrong' });
  expect(await rejection(wrong.credits())).toMatchObject({ name: 'ApiUnavailable', code: 'UNAUTHORIZED' });
});

it('what the store does ends with the signal and the time-out of who asks', async () => {
  const endless = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
  const late = await rejection(darkroom.upload(endless, { timeout: '50ms' }));
  expect(late).toMatchObject({ name: 'TimeoutError' });
  const made = await darkroom.generate('image-l', { prompt: 'kept' }, { policy: FAST });
  const signal = AbortSignal.abort(new Error('enough'));
  const folder = await emptyFolder();
  const [output] = made.outputs;
  expect(await rejection(darkroom.download(output, folder, { signal }))).toMatchObject({
    name: 'AbortError',
  });
  expect(await rejection(darkroom.url(output, { signal }))).toMatchObject({ message: 'enough' });
  expect(await rejection(new Response(darkroom.open(output, { signal })).bytes())).toMatchObject({
    message: 'enough',
  });
});

it('who attaches says what it is of, and has its types', () => {
  const film = definePipeline(({ step }) => ({ still: step('image-l', { prompt: 'a fox' }) }));
  const generation = () => darkroom.attach<'image-l'>('generation/fox');
  expectTypeOf(generation).returns.resolves.toEqualTypeOf<GenerationHandle<'image-l'>>();
  const run = () => darkroom.run(film);
  const attached = async () => await (await darkroom.attach<typeof film>('pipeline/film')).result();
  expectTypeOf(attached).returns.toEqualTypeOf<ReturnType<typeof run>>();
});

it('files that a large result of a row leaves out are those of its generation', async () => {
  const generation = await darkroom.start('image-l', { prompt: 'large' }, { policy: FAST });
  const { workflowId } = generation;
  const result = await generation.result();
  const item = {
    status: 'COMPLETED' as const,
    workflowId,
    result: { ...result, outputs: [] },
    omitted: ['outputs' as const],
  };
  expect(await wholeOutputs(world.client, item)).toEqual(result.outputs);
  await deleteRuns(world.client, workflowId);
  expect(await wholeOutputs(world.client, item)).toEqual([]);
});
