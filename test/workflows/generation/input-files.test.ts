import { createReadStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { markedTiny } from '../../../emulator/src/media/tiny-media.ts';
import type { FailureDetails } from '../../../src/contract/generation.ts';
import { decideUpdate } from '../../../src/contract/messages.ts';
import type { PipelineResult } from '../../../src/contract/pipeline.ts';
import { blobSource } from '../../../src/outputs/inputs/file-source.ts';
import { putFile } from '../../../src/outputs/inputs/put-file.ts';
import { createOutputStore } from '../../../src/outputs/stores/create-store.ts';
import { resetRun } from '../../reset-run.ts';
import { FAST, type Generation, image, openWorld, type World } from '../world.ts';

/** The store's folder as the API sees it, for the worker whose files are public. */
let server: Server;
let open: World;
let closed: World;
beforeAll(async () => {
  server = createServer((request, response) => {
    createReadStream(join(folderOf(open), decodeURIComponent(request.url ?? '')))
      .on('error', () => response.writeHead(404).end())
      .pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  open = await openWorld({ config: { publicOutputs: { kind: 'base', url: `http://127.0.0.1:${port}` } } });
  closed = await openWorld({ config: { models: { 'lip-sync-h': { multipart: false } } } });
});
afterAll(async () => {
  await open.close();
  await closed.close();
  server.close();
});

function folderOf({ config: { outputs } }: World): string {
  if (outputs.kind !== 'folder') throw new Error('a folder is what the tests store in');
  return outputs.path;
}

const picture = (mark: string): Uint8Array => markedTiny('image', mark).bytes;

async function put(world: World, bytes: Uint8Array): Promise<string> {
  const blob = new Blob([new Uint8Array(bytes)]);
  return await putFile(createOutputStore(world.config.outputs), blobSource(blob, 'image/png'));
}

const upscale = (image_url: unknown, policy: unknown = FAST) => ({
  model: 'upscale-q',
  input: { image_url },
  policy,
});

/** The input of the task that a workflow was charged for, as the API shows it. */
function shown(world: World, workflowId: string): Record<string, unknown> {
  const [charge] = world.charges(workflowId);
  return world.emulator.service().tasks.get(charge?.taskId ?? '')?.input ?? {};
}

/** What the API got where it shows a URL. */
async function got(url: unknown): Promise<Buffer> {
  return Buffer.from(await (await fetch(String(url))).arrayBuffer());
}

describe('a file of the store in a field that takes a URL', () => {
  it('is sent as a part where it has no public URL', async () => {
    const bytes = picture('a part');
    const handle = await closed.start(upscale(await put(closed, bytes)));
    expect((await handle.result()).status).toBe('COMPLETED');
    const { image_url: url } = shown(closed, handle.workflowId);
    expect(url).toMatch(closed.emulator.url);
    expect((await got(url)).equals(bytes)).toBe(true);
  });

  it('is named by its public URL where it has one', async () => {
    const bytes = picture('a url');
    const reference = await put(open, bytes);
    const handle = await open.start(upscale(reference));
    expect((await handle.result()).status).toBe('COMPLETED');
    const { image_url: url } = shown(open, handle.workflowId);
    expect(url).toBe(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/inputs/${reference.slice(9)}`,
    );
    expect((await got(url)).equals(bytes)).toBe(true);
  });

  it('stands in a list beside URLs, in its order, and other fields keep their types', async () => {
    const [first, last] = [picture('first'), picture('last')];
    const { url } = closed.emulator;
    const made = await closed.generate(image('a middle'));
    const handle = await closed.start({
      model: 'image-l',
      input: {
        prompt: '42',
        n: 2,
        image_urls: [await put(closed, first), made.outputs[0]?.url, await put(closed, last)],
      },
      policy: FAST,
    });
    expect((await handle.result()).outputs).toHaveLength(2);
    const input = shown(closed, handle.workflowId);
    expect(input).toMatchObject({ prompt: '42', n: 2 });
    const urls = input['image_urls'] as string[]; // the model's field
    expect(urls.map((one) => one.startsWith(url))).toEqual([true, true, true]);
    expect(urls[1]).toBe(made.outputs[0]?.url);
    expect((await got(urls[0])).equals(first)).toBe(true);
    expect((await got(urls[2])).equals(last)).toBe(true);
  });

  it('may be a stored result, by its URI', async () => {
    for (const world of [open, closed]) {
      const [made] = (await world.generate(image('a result that is used again'))).outputs;
      const handle = await world.start(upscale(made?.stored.uri));
      expect((await handle.result()).status).toBe('COMPLETED');
      const { image_url: url } = shown(world, handle.workflowId);
      expect((await got(url)).equals(await got(made?.url))).toBe(true);
    }
  });

  it.each([
    ['is not there', () => `darkroom:sha256/${'0'.repeat(64)}`, 'is not in the folder'],
    ['is named in a way that is none', () => 'darkroom:sha256/abc', 'must be darkroom:sha256/ and the 64'],
    ['lies elsewhere', () => 'file:///etc/hostname', "is no file of the worker's DARKROOM_OUTPUTS"],
    ['is named with a way out', () => `file://${folderOf(closed)}/../x`, 'is no file of the worker'],
    [
      'is the result of another workspace',
      () => `file://${folderOf(closed)}/other/generation+x/t-0123456789abcdef.png`,
      'is not in the folder',
    ],
  ])('is refused before anything is bought where it %s', async (_, reference, message) => {
    const handle = await closed.start(upscale(reference()));
    const failure = await closed.failureOf(handle);
    expect(failure).toMatchObject({
      type: 'INVALID_REQUEST',
      details: {
        errors: [{ path: 'input.image_url', message: expect.stringContaining(message) as unknown }],
      },
    });
    expect(closed.charges(handle.workflowId)).toEqual([]);
  });

  it('is refused with what to set where nothing can take it to the API, in a pipeline before its first step', async () => {
    const video_url = await put(closed, picture('no way'));
    const handle = await closed.pipeline({
      policy: FAST,
      steps: {
        still: { model: 'image-l', input: { prompt: 'never bought' } },
        lips: { model: 'lip-sync-h', input: { video_url, audio_url: 'http://127.0.0.1:9/a.wav' } },
      },
    });
    const failure = await closed.failureOf<PipelineResult>(handle);
    expect(failure.type).toBe('INVALID_REQUEST');
    expect(failure.message).toContain('set DARKROOM_PUBLIC_OUTPUTS');
    expect(closed.charges(`${handle.workflowId}/still`)).toEqual([]);
  });

  it('is looked for before the first step of a pipeline is bought', async () => {
    const handle = await closed.pipeline({
      policy: FAST,
      steps: {
        still: { model: 'image-l', input: { prompt: 'never bought either' } },
        large: { model: 'upscale-q', input: { image_url: `darkroom:sha256/${'1'.repeat(64)}` } },
      },
    });
    expect(await closed.failureOf<PipelineResult>(handle)).toMatchObject({
      type: 'INVALID_REQUEST',
      message: expect.stringContaining('steps.large.input.image_url') as unknown,
    });
    expect(closed.charges(`${handle.workflowId}/still`)).toEqual([]);
  });
});

describe('a Reset of a run whose file has left the store since', () => {
  /** Starts one, has it get to that state, and takes its file away. */
  async function withoutFile(mark: string, state: 'waiting' | 'needs a decision', policy: unknown = FAST) {
    const reference = await put(closed, picture(mark));
    const file = join(folderOf(closed), 'inputs', reference.slice('darkroom:'.length));
    const handle = await closed.start(upscale(reference, policy));
    await closed.until(handle, state);
    await rename(file, `${file}-away`);
    return { handle, putBack: () => rename(`${file}-away`, file) };
  }

  it('takes its task over: only to buy another one it would need the file', async () => {
    const match = { model: 'upscale-q' };
    const { faults, scheduler, tasks } = closed.emulator.service();
    const { id } = faults.add({ on: 'task', match, fault: { kind: 'hang' } });
    const { handle } = await withoutFile('gone while it runs', 'waiting');
    faults.remove(id);
    await resetRun(closed.client, handle.workflowId);
    const again: Generation = closed.client.workflow.getHandle(handle.workflowId);
    const { taskId } = await closed.until(again, 'waiting');
    const task = tasks.get(taskId ?? '');
    if (task !== undefined)
      scheduler.force(task, { kind: 'complete' }, { start: Date.now(), finish: Date.now() });
    const { attempts, charged } = await again.result();
    expect(attempts).toMatchObject([{ outcome: 'completed', adopted: true, taskId }]);
    expect(closed.charges(handle.workflowId)).toMatchObject([{ taskId, credits: charged.total }]);
  });

  it('stays in doubt about a lost answer, and asks as it did: what a person has bought again needs the file', async () => {
    closed.fault({ on: 'submit', match: { model: 'upscale-q' }, times: 1, fault: { kind: 'lost-after' } });
    closed.fault({ on: 'webhook', match: { model: 'upscale-q' }, times: 9, fault: { kind: 'lost' } });
    const policy = { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } };
    const { handle } = await withoutFile('gone while it asks', 'needs a decision', policy);
    await resetRun(closed.client, handle.workflowId);
    const again: Generation = closed.client.workflow.getHandle(handle.workflowId);
    await closed.until(again, 'needs a decision');
    await again.executeUpdate(decideUpdate, { args: [{ action: 'resubmit' }] });
    const failure = await closed.failureOf<FailureDetails>(again);
    expect(failure).toMatchObject({
      type: 'INVALID_REQUEST',
      message: expect.stringContaining('is not in the folder') as unknown,
      details: { attempts: [{ outcome: 'unknown' }, { outcome: 'rejected' }] },
    });
    expect(closed.charges(handle.workflowId)).toHaveLength(1);
  });
});

describe('the lost answer to a submit with a file', () => {
  it.each([
    ['by its public URL', () => open],
    ['as a part, whose name the API keeps', () => closed],
  ])('is found where it was sent %s: each gets the task of its own file', async (how, of) => {
    const world = of();
    const prompt = `lost ${how}`;
    world.loseAnswer(prompt, 2);
    const files = await Promise.all(['one', 'two'].map((mark) => put(world, picture(`${how} ${mark}`))));
    const handles = await Promise.all(
      files.map((file) =>
        world.start({ model: 'image-l', input: { prompt, image_urls: [file] }, policy: FAST }),
      ),
    );
    for (const handle of handles) {
      const { taskId, attempts } = await handle.result();
      expect(attempts).toMatchObject([{ taskId, outcome: 'completed', adopted: true }]);
      expect(world.charges(handle.workflowId).map((charge) => charge.taskId)).toEqual([taskId]);
    }
  });

  it('is not bought again unasked where the bytes were sent', async () => {
    const prompt = 'lost without news';
    closed.loseAnswer(prompt);
    closed.loseWebhooks(prompt);
    const policy = { ...FAST, reconcile: { wait: '100ms', otherwise: 'resubmit' } };
    const image_urls = [await put(closed, picture(prompt))];
    const handle = await closed.start({ model: 'image-l', input: { prompt, image_urls }, policy });
    await closed.until(handle, 'needs a decision');
    expect(closed.charges(handle.workflowId)).toHaveLength(1);
  });

  it('is not bought again unasked either where another worker, with a public store, has made the plan', async () => {
    const prompt = 'planned to be named';
    const world = await openWorld({ config: { publicOutputs: { kind: 'base', url: 'http://127.0.0.1:9' } } });
    try {
      world.hold(prompt);
      world.loseWebhooks(prompt);
      const policy = { ...FAST, reconcile: { wait: '100ms', otherwise: 'resubmit' } };
      const image_urls = [await put(world, picture(prompt))];
      const handle = await world.start({ model: 'image-l', input: { prompt, image_urls }, policy });
      await world.until(handle, 'waiting');
      await world.stopWorker();
      delete world.config.publicOutputs;
      await world.startWorker();
      world.loseAnswer(prompt);
      const { scheduler, tasks } = world.emulator.service();
      const task = tasks.get(world.bought(handle)[0] ?? '');
      if (task === undefined) throw new Error('there is no such task');
      const due = { start: Date.now(), finish: Date.now() };
      scheduler.force(task, { kind: 'fail', code: 'IMAGE_GENERATION_TIMEOUT', message: 'late' }, due);
      await world.until(handle, 'needs a decision');
      expect(world.charges(handle.workflowId)).toHaveLength(2);
    } finally {
      await world.close();
    }
  });
});
