import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { type ImageRequest, renderImage } from '../../../../emulator/src/media/picture/render-image.ts';
import { createMediaRenderers } from '../../../../emulator/src/media/threads/media-renderers.ts';
import { RenderCache, renderKey } from '../../../../emulator/src/media/threads/render-cache.ts';
import { UnreadableMediaError } from '../../../../emulator/src/media/unreadable-media-error.ts';

const IMAGE: ImageRequest = { prompt: 'a boat', width: 64, height: 64, format: 'webp', seed: 1, index: 0 };

describe('renderers in worker threads', () => {
  const media = createMediaRenderers();
  afterAll(() => media.close());

  it('give what the functions of the same name give', async () => {
    const [threaded, direct] = [await media.renderImage(IMAGE), await renderImage(IMAGE)];
    expect(threaded).toEqual(direct);
  });

  it('leave the asking thread free to answer others', async () => {
    let turns = 0;
    const clock = setInterval(() => {
      turns += 1;
    }, 1);
    const video = media.renderVideo({
      prompt: 'a boat',
      width: 640,
      height: 360,
      durationSeconds: 3,
      seed: 1,
    });
    await video.finally(() => clearInterval(clock));
    expect((await video).duration).toBe(3);
    expect(turns).toBeGreaterThan(30);
  });

  it('render equal requests once, whether at the same time or later', async () => {
    const [first, second] = await Promise.all([media.renderImage(IMAGE), media.renderImage({ ...IMAGE })]);
    expect(second).toBe(first);
    expect(await media.renderImage(IMAGE)).toBe(first);
  });

  it('pass errors on with their class, and go on working', async () => {
    const image = new Uint8Array(9);
    await expect(media.renderUpscale({ image, factor: 2, longestSide: 4096 })).rejects.toThrow(
      UnreadableMediaError,
    );
    await expect(media.renderUpscale({ image, factor: -1, longestSide: 4096 })).rejects.toThrow(RangeError);
    expect((await media.renderSpeech({ text: 'hello there' })).words).toHaveLength(2);
  });

  it('reject what is under way when they are closed, and everything after', async () => {
    const closing = createMediaRenderers({ threads: 1 });
    const jobs = [0, 1, 2].map((seed) => closing.renderImage({ ...IMAGE, seed }));
    const outcomes = Promise.allSettled(jobs);
    await closing.close();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(closing.renderImage(IMAGE)).rejects.toThrow(/closed/);
  });

  it('do not keep a process alive when they are idle', async () => {
    const module = new URL('../../../../emulator/src/media/threads/media-renderers.ts', import.meta.url).href;
    const program =
      `const { createMediaRenderers } = await import('${module}');` +
      `console.log((await createMediaRenderers().renderImage(${JSON.stringify(IMAGE)})).fileName);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      timeout: 15_000,
    });
    expect(stdout.trim()).toBe('image-1.webp');
  }, 20_000);
});

describe('the cache of renders', () => {
  const sized = (length: number) => async () => ({ bytes: new Uint8Array(length) });

  it('forgets the least recently used first when the bytes are too many', async () => {
    const cache = new RenderCache(100);
    const made: string[] = [];
    const get = (key: string) =>
      cache.get(key, () => {
        made.push(key);
        return sized(40)();
      });
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await get(key);
    expect(made).toEqual(['a', 'b', 'c', 'b']);
  });

  it('does not keep what is larger than all of it, nor a failure', async () => {
    const cache = new RenderCache(100);
    const large = await cache.get('large', sized(101));
    expect(await cache.get('large', sized(101))).not.toBe(large);
    await expect(cache.get('bad', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect((await cache.get('bad', sized(5))).bytes).toHaveLength(5);
  });

  it('knows equal requests by their content, not by the order of their fields', () => {
    const key = renderKey('renderImage', { prompt: 'x', references: [new Uint8Array([1, 2])], seed: 1 });
    expect(renderKey('renderImage', { seed: 1, references: [new Uint8Array([1, 2])], prompt: 'x' })).toBe(
      key,
    );
    expect(renderKey('renderImage', { prompt: 'x', references: [new Uint8Array([1, 3])], seed: 1 })).not.toBe(
      key,
    );
    expect(renderKey('renderVideo', { prompt: 'x', references: [new Uint8Array([1, 2])], seed: 1 })).not.toBe(
      key,
    );
  });
});
