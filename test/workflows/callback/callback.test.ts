import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { rowDigest } from '../../../src/client/batch/row-digest.ts';
import { startBatch } from '../../../src/client/batch/start-batch.ts';
import { type Callback, DarkroomClient, verifyCallback } from '../../../src/client/index.ts';
import { RESULT_SCHEMAS } from '../../../src/schemas/result-schemas.ts';
import { rejection } from '../../rejection.ts';
import { resetPoints, resetRun } from '../../reset-run.ts';
import { eventually, FAST, openWorld, type World } from '../world.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OLD_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

interface Delivery {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

let receiver: Server;
/** Where callbacks may go. */
let hooks: string;
let world: World;
let darkroom: DarkroomClient;
const got: Delivery[] = [];
/** So often Temporal refuses to start a callback. */
let refusals = 0;
/** What is answered next; 204 where there is nothing. */
const answers: number[] = [];

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      got.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(answers.shift() ?? 204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  hooks = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`; // it listens on a port
  world = await openWorld({
    config: { callbacks: { prefixes: [hooks], secrets: [SECRET, OLD_SECRET] } },
    activities: (activities) => ({
      ...activities,
      async startCallback(request) {
        refusals -= 1;
        if (refusals >= 0) throw new Error('the namespace starts no more workflows now');
        await activities.startCallback(request);
      },
    }),
  });
  darkroom = new DarkroomClient(world.client, { taskQueue: world.config.taskQueue });
});
afterAll(async () => {
  await world.close();
  receiver.close();
});
beforeEach(() => {
  got.length = 0;
  answers.length = 0;
  refusals = 0;
});

const verified = ({ body, headers }: Delivery, secret = SECRET): Callback =>
  verifyCallback(body, headers, secret);

/** What came at that path, once it has. */
async function at(path: string, count = 1): Promise<Delivery[]> {
  return await eventually(() => {
    const found = got.filter((one) => one.path === `/hooks/${path}`);
    expect(found).toHaveLength(count);
    return found;
  });
}

describe('a callback', () => {
  it('comes once when a generation has completed, signed with every secret', async () => {
    const path = randomUUID();
    const run = await darkroom.start(
      'image-l',
      { prompt: 'called back' },
      { policy: FAST, callback: `${hooks}/${path}` },
    );
    await run.result();
    const [delivery] = await at(path);
    if (delivery === undefined) throw new Error('nothing came');
    const { workflowId, runId } = run;
    const word = { type: 'generation.completed', workflowId, runId, status: 'COMPLETED' };
    expect(JSON.parse(delivery.body)).toEqual(word);
    expect(new Ajv2020().compile(RESULT_SCHEMAS['callback.json'] ?? {})(word)).toBe(true);
    expect(delivery.headers['content-type']).toBe('application/json');
    for (const secret of [SECRET, OLD_SECRET, `${OLD_SECRET}, ${SECRET}`])
      expect(verified(delivery, secret)).toEqual({ ...word, webhookId: `msg_${runId}` });
    const other = { ...delivery, body: delivery.body.replace('completed', 'failed') };
    expect(() => verified(other)).toThrow('mismatch');
    expect(() =>
      verified(delivery, `whsec_${Buffer.from('another secret, of 32 bytes, yes').toString('base64')}`),
    ).toThrow('mismatch');
    expect(() => verifyCallback(delivery.body, {}, SECRET)).toThrow('not verified');
  });

  it('leaves a paid result as it is where it cannot be sent: its id is in use', async () => {
    const prompt = randomUUID();
    const release = world.hold(prompt);
    const run = await darkroom.start('image-l', { prompt }, { policy: FAST, callback: `${hooks}/${prompt}` });
    const { taskQueue } = world.config;
    const workflowId = `callback/${run.runId}`;
    const other = await world.client.workflow.start('callback', {
      workflowId,
      taskQueue: `nobody-${taskQueue}`,
    });
    release();
    expect(await run.result()).toMatchObject({ status: 'COMPLETED' });
    await other.terminate();
  });

  it('is started once Temporal takes it, also where that was refused more often than in a minute of ever longer pauses', async () => {
    const path = randomUUID();
    refusals = 7;
    const input = { prompt: 'refused for a while' };
    const run = await darkroom.start('image-l', input, { policy: FAST, callback: `${hooks}/${path}` });
    expect(await run.result()).toMatchObject({ status: 'COMPLETED' });
    await at(path);
  });

  it('stands in the way of no Reset, to any point of a generation, a pipeline or a batch', async () => {
    const callback = `${hooks}/${randomUUID()}`;
    const still = { model: 'image-l', input: { prompt: 'any point' } } as const;
    const pipeline = { steps: { still }, policy: FAST };
    for (const start of [
      () => darkroom.start(still.model, still.input, { policy: FAST, callback }),
      () => darkroom.start(pipeline, { callback }),
      () => darkroom.startBatch(pipeline, [{ row: 1 }], { callback }),
    ]) {
      const run = await start();
      await run.result();
      const { workflowId } = run;
      const points = await resetPoints(world.client, workflowId, run.runId);
      expect(points.length).toBeGreaterThan(1);
      for (const [index] of points.entries()) {
        await resetRun(world.client, workflowId, index / (points.length - 1), run.runId);
        await world.client.workflow.getHandle(workflowId).result();
      }
    }
  });

  it('tells of what has failed or was cancelled, of a pipeline and in part, and of each run', async () => {
    const prompt = randomUUID();
    const fault = { kind: 'fail', code: 'CONTENT_REJECTED' } as const;
    world.fault({ on: 'task', match: { promptIncludes: prompt }, fault });
    const path = randomUUID();
    const steps = {
      good: { model: 'image-l', input: { prompt: 'good' } },
      bad: { model: 'image-l', input: { prompt } },
    };
    const pipeline = { steps, policy: FAST };
    const failed = await darkroom.start(pipeline, { callback: `${hooks}/${path}` });
    await rejection(failed.result());
    const [first] = await at(path);
    expect(first && verified(first)).toMatchObject({ type: 'pipeline.failed', status: 'FAILED' });
    await resetRun(world.client, failed.workflowId);
    const [, second] = await at(path, 2);
    expect(second && verified(second).webhookId).not.toBe(first && verified(first).webhookId);

    const inPart = await darkroom.start(
      { ...pipeline, allowPartial: true },
      { callback: `${hooks}/${path}/part` },
    );
    await inPart.result();
    const [part] = await at(`${path}/part`);
    expect(part && verified(part)).toMatchObject({ type: 'pipeline.completed', status: 'PARTIAL' });

    const slow = randomUUID();
    world.hold(slow);
    const cancelled = await darkroom.start(
      'image-l',
      { prompt: slow },
      { policy: FAST, callback: `${hooks}/${path}/end` },
    );
    await eventually(() => expect(world.charges(cancelled.workflowId)).toHaveLength(1));
    await cancelled.cancel();
    const [end] = await at(`${path}/end`);
    expect(end && verified(end)).toMatchObject({ type: 'generation.failed', status: 'CANCELLED' });
  });

  it('is tried until it is taken, under one id, and the result does not wait for it', async () => {
    answers.push(500, 302);
    const path = randomUUID();
    const run = await darkroom.start(
      'image-l',
      { prompt: 'taken late' },
      { policy: FAST, callback: `${hooks}/${path}` },
    );
    await run.result();
    const { status } = await world.client.workflow.getHandle(run.workflowId).describe();
    expect(status.name).toBe('COMPLETED');
    const tries = await at(path, 3);
    expect(new Set(tries.map((one) => verified(one).webhookId)).size).toBe(1);
  });

  it('comes of a batch, for the whole of it', async () => {
    const path = randomUUID();
    const pipeline = {
      steps: { still: { model: 'image-l', input: { prompt: { $param: 'prompt' } } } },
      policy: FAST,
    };
    const rows = ['one', 'two'].map((prompt) => ({
      id: prompt,
      values: { prompt },
      digest: rowDigest(pipeline, { prompt }),
    }));
    const workflowId = `batch/${randomUUID()}`;
    const start = { workflowId, taskQueue: world.config.taskQueue, pipeline, rows };
    await startBatch(world.client, { ...start, callback: `${hooks}/${path}` });
    const [delivery] = await at(path);
    expect(delivery && verified(delivery)).toMatchObject({
      type: 'batch.completed',
      workflowId,
      status: 'COMPLETED',
    });
    const elsewhere = `batch/${randomUUID()}`;
    const refused = { ...start, workflowId: elsewhere, callback: 'https://elsewhere.example/' };
    await startBatch(world.client, refused);
    expect(await world.failureOf(world.client.workflow.getHandle(elsewhere))).toMatchObject({
      type: 'INVALID_REQUEST',
    });
  });

  it.each([
    ['of another host', () => 'https://elsewhere.example/hooks/1'],
    ['of a host that begins like it', () => hooks.replace('127.0.0.1', '127.0.0.1.elsewhere.example')],
    ['beside it', () => `${hooks}-too/1`],
    ['that leads out of it', () => `${hooks}/../other`],
    ['with a user name', () => hooks.replace('//', '//user@')],
    ['that is none', () => 'file:///etc/passwd'],
  ])('to a URL %s is refused before anything is bought', async (_, url) => {
    const request = { model: 'image-l', input: { prompt: 'refused' }, callback: url() };
    const handle = await world.start(request);
    expect(await world.failureOf(handle)).toMatchObject({
      type: 'INVALID_REQUEST',
      details: { errors: [{ path: 'callback' }] },
    });
    expect(world.charges(handle.workflowId)).toEqual([]);
    expect(got).toEqual([]);
  });

  it('costs nothing where nobody asks for one', async () => {
    const run = await darkroom.start('image-l', { prompt: 'not called' }, { policy: FAST });
    await run.result();
    const { events } = await world.client.workflow.getHandle(run.workflowId).fetchHistory();
    expect(events?.some((event) => event.startChildWorkflowExecutionInitiatedEventAttributes)).toBe(false);
  });
});
