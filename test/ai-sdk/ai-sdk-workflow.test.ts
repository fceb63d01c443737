import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, NativeConnection, Worker, type WorkflowBundle } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { darkroomPlugin } from '../../src/worker/index.ts';
import { eventually, openWorld, type World } from '../workflows/world.ts';
import type { posters, refused, rejected, trailer } from './poster-workflows.ts';

const workflowsPath = fileURLToPath(new URL('poster-workflows.ts', import.meta.url));
const taskQueue = `posters-${randomUUID()}`;

let world: World;
let workflowBundle: WorkflowBundle;
let connection: NativeConnection;
let stopWorker: () => Promise<void>;

beforeAll(async () => {
  world = await openWorld();
  await world.stopWorker();
  workflowBundle = await bundleWorkflowCode({ workflowsPath, plugins: [darkroomPlugin()] });
  connection = await NativeConnection.connect({ address: world.config.temporal.address });
  stopWorker = await startWorker();
});
afterAll(async () => {
  await stopWorker?.();
  await connection?.close();
  await world.close();
});

/** A worker of somebody's own, with Darkroom added to it. */
async function startWorker(): Promise<() => Promise<void>> {
  const { namespace } = world.config.temporal;
  const log = { debug() {}, info() {}, warn() {} };
  const plugins = [darkroomPlugin({ config: world.config, receiver: false, log })];
  const worker = await Worker.create({ connection, namespace, taskQueue, workflowBundle, plugins });
  const running = worker.run();
  return async () => {
    worker.shutdown();
    await running;
  };
}

/** What was charged for the generation that has that name below a workflow. */
function charges(workflowId: string, name: string): number {
  return world.charges(`generation/${workflowId}/${name}`).length;
}

describe('with the AI SDK, in a workflow', () => {
  it('each picture is charged once, though the worker is stopped between the two', async () => {
    const workflowId = `posters-${randomUUID()}`;
    const night = `a harbour at night ${workflowId}`;
    const release = world.hold(night);
    const args: [string, string] = [`a harbour by day ${workflowId}`, night];
    const run = await world.client.workflow.start<typeof posters>('posters', { workflowId, taskQueue, args });
    await eventually(() => expect(charges(workflowId, 'image-l-2')).toBe(1));
    await stopWorker();
    stopWorker = await startWorker();
    release();
    const uris = await run.result();
    expect(new Set(uris).size).toBe(2);
    for (const uri of uris) expect((await stat(new URL(uri))).size).toBeGreaterThan(0);
    expect([1, 2].map((n) => charges(workflowId, `image-l-${n}`))).toEqual([1, 1]);
    await Worker.runReplayHistory(
      { workflowBundle, plugins: [darkroomPlugin()] },
      await run.fetchHistory(),
      workflowId,
    );
  });

  it('what one call has made goes into the next, and is handed out as the URI of its file', async () => {
    const workflowId = `trailer-${randomUUID()}`;
    const args: [string] = [`a lighthouse ${workflowId}`];
    const made = await world.client.workflow.execute<typeof trailer>('trailer', {
      workflowId,
      taskQueue,
      args,
    });
    for (const uri of [made['still'], made['large'], made['film'], made['voice']])
      expect((await stat(new URL(uri ?? ''))).size).toBeGreaterThan(0);
    expect(Buffer.from(made['base64'] ?? '', 'base64').toString()).toBe(made['still']);
    expect(JSON.parse(made['about'] ?? '')).toMatchObject({
      stored: made['still'],
      contentType: 'image/png',
    });
    expect(made['filmType']).toBe('video/mp4');
    const names = ['still', 'upscale-q-1', 'video-f-1', 'speech-a-1'];
    expect(names.map((name) => charges(workflowId, name))).toEqual([1, 1, 1, 1]);
  });

  it('bytes and abort signals are refused before anything is bought, and a rejection has its type', async () => {
    const workflowId = `refused-${randomUUID()}`;
    const said = await world.client.workflow.execute<typeof refused>('refused', { workflowId, taskQueue });
    expect(said).toEqual([
      'TypeError: files: a workflow holds no bytes: send a URL, or what another call has made',
      'TypeError: abortSignal: a workflow cancels what it waits for by a CancellationScope',
    ]);
    expect(charges(workflowId, 'image-l-1') + charges(workflowId, 'upscale-q-1')).toBe(0);
    const other = { workflowId: `rejected-${randomUUID()}`, taskQueue };
    expect(await world.client.workflow.execute<typeof rejected>('rejected', other)).toBe(
      'IMAGE_GENERATION_CONTENT_REJECTED',
    );
  });
});
