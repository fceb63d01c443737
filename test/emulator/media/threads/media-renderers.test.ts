import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { type ImageRequest, renderImage } from '../../../../emulator/src/media/picture/render-image.ts';
import { createMediaRenderers } from '../../../../emulator/src/media/threads/media-renderers.ts';
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
  it('forgets the least recently used first when the bytes are too many, and keeps nothing that is larger', async () => {
    const { bytes } = await renderImage(IMAGE);
    const media = createMediaRenderers({ cacheBytes: Math.ceil(bytes.length * 2.5) });
    const render = (prompt: string) => media.renderImage({ ...IMAGE, prompt });
    const first = await render('a boat');
    await render('a ship');
    expect(await render('a boat')).toBe(first);
    await render('a raft');
    expect(await render('a boat')).toBe(first);
    const large = { ...IMAGE, width: 640, height: 640, format: 'png' } as const;
    expect(await media.renderImage(large)).not.toBe(await media.renderImage(large));
    await media.close();
  });

  it('knows equal requests by their content, not by the order of their fields', async () => {
    const media = createMediaRenderers();
    const reference = (await renderImage(IMAGE)).bytes;
    const one = await media.renderImage({ ...IMAGE, references: [reference], seed: 2 });
    const fields = { seed: 2, references: [new Uint8Array(reference)] };
    expect(await media.renderImage({ ...fields, ...IMAGE, seed: 2 })).toBe(one);
    const [other] = [(await renderImage({ ...IMAGE, prompt: 'a ship' })).bytes];
    expect(await media.renderImage({ ...IMAGE, references: [other], seed: 2 })).not.toBe(one);
    await media.close();
  });
});
