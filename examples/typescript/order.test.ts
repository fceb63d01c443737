/** A test of a service's own: a photo goes in, its progress shows, a signed callback says that it is done, a file comes out. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { type Callback, file, verifyCallback } from 'temporal-darkroom';
import { useEmulator } from 'temporal-darkroom/testing';

void test('an order of a larger photo: upload, progress, callback, download', async (t) => {
  const called = Promise.withResolvers<Callback>();
  let secret = '';
  const service = createServer((request, response) => {
    void text(request)
      .then((body) => verifyCallback(body, request.headers, secret))
      .then(called.resolve, called.reject);
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  t.after(() => service.close());
  await once(service, 'listening');
  const callback = `http://127.0.0.1:${(service.address() as AddressInfo).port}/done`;

  const darkroom = await useEmulator({ callbacks: [callback] });
  t.after(() => darkroom.stop());
  secret = darkroom.env['DARKROOM_CALLBACK_SECRET'] ?? '';
  const { client } = darkroom;
  const folder = await mkdtemp(join(tmpdir(), 'order-'));
  t.after(() => rm(folder, { recursive: true }));
  const { outputs } = await client.generate('image-l', { prompt: 'a photo' });
  const photo = await client.download(outputs[0], join(folder, 'photo.png'));

  const run = await client.start('upscale-q', { image_url: file(photo) }, { key: 'order-17', callback });
  const states: string[] = [];
  for await (const { state } of run.progress()) states.push(state);
  assert.equal(states.at(-1), 'done');
  const { type, workflowId } = await called.promise;
  assert.deepEqual({ type, workflowId }, { type: 'generation.completed', workflowId: run.workflowId });
  const [large] = (await run.result()).outputs;
  const path = await client.download(large, join(folder, 'large.png'));
  assert.equal((await stat(path)).size, large.stored.bytes);
  assert.equal(darkroom.charges(run.workflowId).length, 1);
});
