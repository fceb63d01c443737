import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DarkroomClient } from '../../src/client/darkroom-client.ts';
import type { PipelineRequest } from '../../src/contract/pipeline.ts';
import { eventually, FAST, type World } from '../workflows/world.ts';
import { openShortWorld } from './short-histories.ts';

let world: World;
let close: () => Promise<void>;
let darkroom: DarkroomClient;
beforeAll(async () => {
  ({ world, close } = await openShortWorld(40));
  darkroom = new DarkroomClient(world.client, { taskQueue: world.config.taskQueue });
});
afterAll(() => close());

it('the same request under the same key attaches, also after a person has replaced an input', async () => {
  const key = randomUUID();
  const link = (from: string) => ({ model: 'upscale-q', input: { image_url: { $from: from } } });
  const request: PipelineRequest = {
    steps: {
      still: { model: 'image-l', input: { prompt: 'before' }, approve: true },
      ...Object.fromEntries(
        Array.from({ length: 8 }, (_, index) => [
          `link-${index}`,
          link(index === 0 ? 'still' : `link-${index - 1}`),
        ]),
      ),
    },
    policy: FAST,
  };
  const handle = await darkroom.startPipeline(request, { key });
  const latest = world.client.workflow.getHandle(handle.workflowId);
  await eventually(() =>
    latest.executeUpdate('approve', { args: [{ step: 'still', input: { prompt: 'after' } }] }),
  );
  const first = await handle.result();
  const again = await darkroom.startPipeline(request, { key }).then(
    (one) => one.result(),
    (error: unknown) => error,
  );
  console.log('replaced', again instanceof Error ? again.message : 'attached');
  expect(again).toEqual(first);
}, 60_000);
