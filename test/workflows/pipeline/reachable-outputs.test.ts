import { createReadStream } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GenerationRequest } from '../../../src/contract/generation.ts';
import { progressQuery } from '../../../src/contract/messages.ts';
import type { PipelineResult } from '../../../src/contract/pipeline.ts';
import { readLatestRun } from '../../../src/temporal/latest-run.ts';
import { resetRun } from '../../reset-run.ts';
import { eventually, FAST, type Generation, openWorld, type World } from '../world.ts';
import { chargesBelow, failTask, finishTask, hangTasks, latest } from './steps.ts';

/** The store's folder as the public sees it. */
let files: Server;
let open: World;
let closed: World;
beforeAll(async () => {
  files = createServer((request, response) => {
    const { outputs } = open.config;
    if (outputs.kind !== 'folder') throw new Error('a folder is what the tests store in');
    createReadStream(join(outputs.path, decodeURIComponent(request.url ?? '')))
      .on('error', () => response.writeHead(404).end())
      .pipe(response);
  });
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
  const { port } = files.address() as AddressInfo; // it listens on a port
  open = await openWorld({ config: { publicOutputs: { kind: 'base', url: `http://127.0.0.1:${port}` } } });
  closed = await openWorld();
});
afterAll(async () => {
  await open.close();
  await closed.close();
  files.close();
});

/** The URLs of what that prompt makes die as soon as the file is stored. */
function expireOnceStored(world: World, prompt: string): void {
  const nth = Array.from({ length: 20 }, (_, index) => index + 2);
  world.fault({
    on: 'file',
    match: { promptIncludes: prompt },
    nth,
    fault: { kind: 'expired', status: 403 },
  });
}

/** The URLs of what that prompt has made are dead from now on. */
function expireAll(world: World, prompt: string): void {
  world.fault({ on: 'file', match: { promptIncludes: prompt }, fault: { kind: 'expired', status: 403 } });
}

/** The URL that a generation was started with. */
async function usedBy(world: World, workflowId: string): Promise<unknown> {
  return (await readLatestRun<GenerationRequest>(world.client, workflowId))?.request?.input['image_url'];
}

const threeSteps = (prompt: string) => ({
  policy: FAST,
  steps: {
    still: { model: 'image-l', input: { prompt } },
    large: { model: 'upscale-q', input: { image_url: { $from: 'still' } } },
    clip: {
      model: 'video-f',
      input: { prompt: 'slow zoom', first_frame_url: { $from: 'still' } },
    },
  },
});

describe('a step whose source has an expired URL', () => {
  it('gets the stored copy where that is public, and the pipeline costs what it would have cost', async () => {
    expireOnceStored(open, 'a pier at noon');
    const handle = await open.pipeline(threeSteps('a pier at noon'));
    const result = await handle.result();
    expect(result.status).toBe('COMPLETED');
    expect(chargesBelow(open, handle.workflowId)).toHaveLength(3);
    const { port } = files.address() as AddressInfo; // as above
    expect(await usedBy(open, `${handle.workflowId}/large`)).toContain(`http://127.0.0.1:${port}/`);
  });

  it('says so before it buys where the copy is not public', async () => {
    expireOnceStored(closed, 'a pier at night');
    const handle = await closed.pipeline(threeSteps('a pier at night'));
    const { type, details } = await closed.failureOf<PipelineResult>(handle);
    expect(type).toBe('PIPELINE_FAILED');
    expect(details.steps['large']).toMatchObject({
      status: 'FAILED',
      failure: {
        type: 'OUTPUT_UNAVAILABLE',
        message: expect.stringContaining('set DARKROOM_PUBLIC_OUTPUTS; nothing was bought') as unknown,
        details: { attempts: [] },
      },
    });
    expect(chargesBelow(closed, handle.workflowId)).toHaveLength(1);
  });

  it.each([
    ['was late', { deadline: '500ms' }, 'TASK_OVERDUE', () => undefined],
    [
      'was ended from outside',
      {},
      'TerminatedFailure',
      async (clip: string) => {
        await eventually(() => expect(closed.charges(clip)).toHaveLength(1));
        await eventually(async () => {
          const run: Generation = closed.client.workflow.getHandle(clip);
          expect((await run.query(progressQuery)).taskId).not.toBeNull();
        });
        await closed.client.workflow.getHandle(clip).terminate();
      },
    ],
  ])('takes over what it has bought all the same, where it %s', async (how, policy, type, end) => {
    hangTasks(closed, `a zoom that ${how}`);
    const handle = await closed.pipeline({
      policy: FAST,
      steps: {
        still: { model: 'image-l', input: { prompt: `a pier before a zoom: it ${how}` } },
        clip: {
          model: 'video-f',
          input: { prompt: `a zoom that ${how}`, first_frame_url: { $from: 'still' } },
          policy,
        },
      },
    });
    await end(`${handle.workflowId}/clip`);
    const { details } = await closed.failureOf<PipelineResult>(handle);
    expect(details.steps['clip']).toMatchObject({ failure: { type } });
    const [clip] = closed.charges(`${handle.workflowId}/clip`);
    await finishTask(closed, clip?.taskId);
    expireAll(closed, `a pier before a zoom: it ${how}`);
    await resetRun(closed.client, handle.workflowId);
    const result: PipelineResult = await latest(closed, handle.workflowId).result();
    expect(result.steps['clip']).toMatchObject({ status: 'COMPLETED', result: { taskId: clip?.taskId } });
    expect(chargesBelow(closed, handle.workflowId)).toHaveLength(2);
  });

  it('buys nothing with it where what it has bought has come to nothing', async () => {
    hangTasks(closed, 'a zoom in vain');
    const handle = await closed.pipeline({
      policy: FAST,
      steps: {
        still: { model: 'image-l', input: { prompt: 'a pier that ends in vain' } },
        clip: {
          model: 'video-f',
          input: { prompt: 'a zoom in vain', first_frame_url: { $from: 'still' } },
          policy: { deadline: '500ms' },
        },
      },
    });
    await closed.failureOf<PipelineResult>(handle);
    const [clip] = closed.charges(`${handle.workflowId}/clip`);
    await failTask(closed, clip?.taskId, 'TIMEOUT');
    expireAll(closed, 'a pier that ends in vain');
    await resetRun(closed.client, handle.workflowId);
    const { details } = await closed.failureOf<PipelineResult>(latest(closed, handle.workflowId));
    expect(details.steps['clip']).toMatchObject({
      failure: {
        type: 'OUTPUT_UNAVAILABLE',
        message: expect.stringContaining('set DARKROOM_PUBLIC_OUTPUTS') as unknown,
      },
    });
    expect(closed.charges(`${handle.workflowId}/clip`)).toHaveLength(1);
  });

  it('keeps the API’s own URL while that lives', async () => {
    const handle = await open.pipeline(threeSteps('a pier at dawn'));
    expect((await handle.result()).status).toBe('COMPLETED');
    expect(await usedBy(open, `${handle.workflowId}/large`)).toContain(open.emulator.url);
  });
});
