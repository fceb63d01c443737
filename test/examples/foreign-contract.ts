import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PipelineRequest } from '../../src/contract/pipeline.ts';
import { requestDigest } from '../../src/contract/purchases/request-digest.ts';
import { resetRun } from '../reset-run.ts';
import { TemporalProxy } from '../temporal-proxy.ts';
import { eventually, openWorld, type World } from '../workflows/world.ts';
import { type Ended, ended, environmentOf } from './foreign-program.ts';
import type { Prepared } from './prepared.ts';

/** What the examples start. */
const requestOf = (prompt: string): PipelineRequest => ({
  steps: {
    still: { model: 'image-l', input: { prompt } },
    clip: { model: 'video-f', input: { prompt: 'slow zoom', first_frame_url: { $from: 'still' } } },
  },
});

/** What the example of every language does alike. */
export function followsTheContract(language: string, prepare: () => Promise<Prepared>): void {
  describe(`the example in ${language}`, () => {
    let world: World;
    let prepared: Prepared;

    beforeAll(async () => {
      prepared = await prepare();
      if ('command' in prepared) world = await openWorld();
    }, 600_000);
    afterAll(() => world?.close());

    async function film(
      key: string,
      prompt: string,
      skip: (why: string) => never,
      { temporal, onStderr }: { temporal?: string; onStderr?: (text: string) => void } = {},
    ): Promise<Ended> {
      if ('missing' in prepared) skip(prepared.missing);
      const [program, ...args] = prepared.command;
      return await ended(program, [...args, key, prompt], {
        cwd: prepared.cwd,
        env: { ...environmentOf(world), ...(temporal === undefined ? {} : { TEMPORAL_ADDRESS: temporal }) },
        ...(onStderr === undefined ? {} : { onStderr }),
      });
    }

    it('starts a pipeline, follows it to its end, and buys nothing the second time', async ({ skip }) => {
      const key = randomUUID();
      const first = await film(key, 'a lighthouse at dawn', skip);
      expect(first).toMatchObject({ code: 0 });
      expect(first.stdout).toMatch(/^still: file:\/\/\S+\nclip: file:\/\/\S+\n$/);
      const second = await film(key, 'a lighthouse at dawn', skip);
      expect(second).toMatchObject({ code: 0, stdout: first.stdout });
      expect(second.stderr).toContain('attached');
      expect(world.charges(`pipeline/${key}/still`)).toHaveLength(1);
      const { memo } = await world.client.workflow.getHandle(`pipeline/${key}`).describe();
      expect(memo).toEqual({ request: requestDigest('pipeline', requestOf('a lighthouse at dawn')) });
    }, 180_000);

    it('tells what a key stands for that a caller without a memo has used', async ({ skip }) => {
      const key = randomUUID();
      if ('missing' in prepared) skip(prepared.missing);
      await (await world.pipeline(requestOf('a lighthouse at dawn'), `pipeline/${key}`)).result();
      const same = await film(key, 'a lighthouse at dawn', skip);
      expect(same).toMatchObject({ code: 0, stderr: expect.stringContaining('attached') as unknown });
      expect(await film(key, 'a lighthouse at night', skip)).toMatchObject({ code: 1, stdout: '' });
      expect(world.charges(`pipeline/${key}/still`)).toHaveLength(1);
    }, 180_000);

    it('refuses a key that stands for another request, and buys nothing', async ({ skip }) => {
      const key = randomUUID();
      expect(await film(key, 'a lighthouse at dawn', skip)).toMatchObject({ code: 0 });
      const other = await film(key, 'a lighthouse at night', skip);
      expect(other).toMatchObject({ code: 1, stdout: '' });
      expect(other.stderr).toContain('KEY_IN_USE');
      expect(world.charges(`pipeline/${key}/still`)).toHaveLength(1);
    }, 180_000);

    it('attaches to one that runs, sees what it does, and asks nothing while it does nothing', async ({
      skip,
    }) => {
      const key = randomUUID();
      const prompt = randomUUID();
      if ('missing' in prepared) skip(prepared.missing);
      const release = world.hold(prompt);
      await using proxy = await TemporalProxy.open(world.config.temporal.address);
      const asked = (): number => proxy.count('QueryWorkflow');
      let seen = '';
      const first = film(key, prompt, skip);
      await eventually(() => expect(world.charges(`pipeline/${key}/still`)).toHaveLength(1));
      const attached = film(key, prompt, skip, {
        temporal: proxy.address,
        onStderr: (text) => {
          seen = text;
        },
      });
      await eventually(() => expect(seen).toContain('still: running'));
      await eventually(async () => {
        proxy.clear();
        await delay(3_000);
        expect(asked()).toBe(0);
      });
      await resetRun(world.client, `pipeline/${key}`);
      await eventually(() => expect(asked()).toBeGreaterThan(0));
      release();
      const second = await attached;
      expect(second).toMatchObject({ code: 0, stdout: (await first).stdout });
      expect(seen).toContain('attached');
    }, 180_000);

    it('tells a failure by its type', async ({ skip }) => {
      const { code, stdout, stderr } = await film(randomUUID(), '[[reject]]', skip);
      expect(code).toBe(1);
      expect(stderr).toContain('PIPELINE_FAILED');
      expect(stdout).toBe('still: IMAGE_GENERATION_CONTENT_REJECTED\n');
    }, 180_000);
  });
}
