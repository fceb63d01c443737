import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Runtime } from '@temporalio/worker';
import { describe, expect, inject, it } from 'vitest';
import '../setup/quiet-temporal.ts';
import { type Callback, DarkroomClient, verifyCallback } from '../../src/client/index.ts';
import { loadConfig } from '../../src/config/worker-config.ts';
import { connectWorker } from '../../src/temporal/connection.ts';
import { useEmulator } from '../../src/testing/index.ts';
import { startDarkroom } from '../../src/worker/start-darkroom.ts';
import { patience } from '../patience.ts';

describe('useEmulator', { timeout: patience(120_000) }, () => {
  it('leaves the runtime alone that its process has installed, also when nothing uses it', async () => {
    const { logger } = Runtime.defaultOptions;
    expect(logger).toBeDefined();
    const server = { address: inject('temporalAddress'), namespace: inject('temporalNamespace') };
    // With each end the SDK shuts the runtime down, and makes it anew for the next one.
    for (let times = 0; times < 2; times += 1) await (await connectWorker(server)).close();
    await using darkroom = await useEmulator();
    expect(darkroom.charges()).toEqual([]);
    expect(Runtime.defaultOptions.logger).toBe(logger);
  });

  it('gives a test all that generating needs, and tells what was charged', async () => {
    await using darkroom = await useEmulator({
      faults: [{ on: 'submit', times: 1, fault: { kind: 'lost-after' } }],
    });
    const buy = () => darkroom.client.generate('image-l', { prompt: 'a red fox' }, { key: 'order-17' });
    const [one, two] = await Promise.all([buy(), buy()]);
    expect(two).toEqual(one);
    expect(darkroom.charges()).toHaveLength(1);
    expect(darkroom.charges('generation/order-17')).toHaveLength(1);
    expect(darkroom.charges('generation/order-18')).toEqual([]);
  });

  it('lets things go wrong while a test runs, and keeps each of its uses apart', async () => {
    await using one = await useEmulator();
    await using other = await useEmulator();
    one.fault({ on: 'submit', fault: { kind: 'error', code: 'UNAUTHORIZED' } });
    const refused = one.client.generate('image-l', { prompt: 'x' }, { key: 'same' });
    await expect(refused).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await other.client.generate('image-l', { prompt: 'x' }, { key: 'other' });
    expect(one.charges()).toEqual([]);
    expect(other.charges()).toHaveLength(1);
  });

  it('makes two purchases of a key that two tests use, and leaves nothing of a test behind', async () => {
    const request = ['image-l', { prompt: 'x' }, { key: 'same' }] as const;
    let namespace: string;
    {
      await using one = await useEmulator();
      ({ namespace } = one.temporal);
      await one.client.generate(...request);
      expect(one.charges()).toHaveLength(1);
    }
    await using other = await useEmulator();
    await other.client.generate(...request);
    expect(other.charges()).toHaveLength(1);
    const { connection } = other.client.temporal;
    await expect(connection.workflowService.describeNamespace({ namespace })).rejects.toThrow('NOT_FOUND');
  });

  it("names in its environment all that a worker of one's own needs", async () => {
    await using darkroom = await useEmulator({ policy: { deadline: '7m' } });
    const { temporal, taskQueue, env } = darkroom;
    const config = loadConfig({ ...env });
    expect(config).toMatchObject({ temporal, taskQueue, privateOutputs: true, policy: { deadline: '7m' } });
    expect(config.workspaces.get('default')).toMatchObject({ apiKey: darkroom.emulator.apiKey });
    const log = { debug() {}, info() {}, warn() {} };
    const own = await startDarkroom(config, { worker: true, receiver: true, preflight: true, log });
    try {
      await using client = await DarkroomClient.connect({ ...env });
      await client.generate('image-l', { prompt: 'x' });
      expect(darkroom.charges()).toHaveLength(1);
    } finally {
      await own.stop();
    }
  });

  it('serves a service that uploads, follows, is called back and downloads', async () => {
    const called = Promise.withResolvers<Callback>();
    let secret = '';
    const service = createServer((request, response) => {
      void text(request).then((body) => called.resolve(verifyCallback(body, request.headers, secret)));
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}/done`; // it listens on a port
    await using darkroom = await useEmulator({ callbacks: [url] });
    secret = darkroom.env['DARKROOM_CALLBACK_SECRET'] ?? '';
    const { client } = darkroom;
    const photo = await client.generate('image-l', { prompt: 'a photo' });
    const bytes = new Uint8Array(await new Response(client.open(photo.outputs[0])).arrayBuffer());
    const run = await client.start('upscale-q', { image_url: bytes }, { key: 'order-17', callback: url });
    const states: string[] = [];
    for await (const { state } of run.progress()) states.push(state);
    expect(states.length).toBeGreaterThan(0);
    const { type, workflowId } = await called.promise;
    expect({ type, workflowId }).toEqual({ type: 'generation.completed', workflowId: 'generation/order-17' });
    const folder = await mkdtemp(join(tmpdir(), 'darkroom-service-'));
    const { outputs } = await run.result();
    const path = await client.download(outputs[0], folder);
    expect((await stat(path)).size).toBe(outputs[0].stored.bytes);
    await rm(folder, { recursive: true });
    service.close();
  });

  it('ends with the test, so that its program ends, too', () => {
    const program = fileURLToPath(new URL('charged-once.ts', import.meta.url));
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--test', program], {
      encoding: 'utf8',
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
      timeout: Math.ceil(patience(100_000)),
    });
    expect(`${stdout}${stderr}`).toContain('pass 1');
    expect(status).toBe(0);
  });
});
