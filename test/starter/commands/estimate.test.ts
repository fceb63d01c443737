import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wavFile } from '../../../emulator/src/media/sound/wav.ts';
import { emptyFolder } from '../../outputs/folder.ts';
import { eventually } from '../../workflows/world.ts';
import { openStarterWorld, POLICY, type StarterWorld } from '../starter-world.ts';

/** A workspace in which nothing was ever bought: prices are of all that the server has. */
const NOWHERE = 'nowhere';

let world: StarterWorld;
beforeAll(async () => {
  world = await openStarterWorld();
});
afterAll(() => world.close());

interface Estimated {
  credits: { low: number; expected: number; high: number };
  basis: string;
}

const estimate = async (...args: string[]): Promise<unknown> =>
  (await world.runHere('estimate', ...args, '--json')).json();

describe('starter estimate', () => {
  it('says that a price is not known, and knows it when such a task was charged', async () => {
    expect(await estimate('speech-a', 'language=Korean', 'text=Hi', '--workspace', NOWHERE)).toMatchObject({
      credits: null,
      basis: expect.stringMatching(/^not known/) as unknown,
    });
    const bought = await world.runHere(
      'generate',
      'speech-a',
      'language=Korean',
      'text=Hi',
      '--policy',
      POLICY,
      '--json',
    );
    const { charged } = bought.json() as { charged: { total: number } };
    const cost = charged.total;
    await eventually(async () => {
      expect(await estimate('speech-a', 'language=Korean', 'text=Ho')).toEqual({
        credits: { low: cost, expected: cost, high: cost },
        basis: expect.stringMatching(/^\d+ tasks? of this kind$/) as unknown,
      });
    });
    const long = (await estimate('speech-a', 'language=Korean', `text=${'long '.repeat(200)}`)) as {
      credits: { high: number };
    };
    expect(long.credits.high).toBeGreaterThan(100 * cost);
    expect((await world.runHere('estimate', 'speech-a', 'language=Korean', 'text=Ho')).stdout).toContain(
      `${cost} credits, by `,
    );
  });

  it('starts from the catalogue: what that prices in USD costs the credits that another such task has shown', async () => {
    const clip = ['video-f', 'first_frame_url=http://files.example/quay.png', 'prompt=zoom', 'duration=7'];
    expect(await estimate(...clip, '--workspace', NOWHERE)).toEqual({
      credits: null,
      basis: expect.stringMatching(/^not known: 0\.35 USD by the catalogue/) as unknown,
    });
    const policy = JSON.parse(POLICY) as object;
    await world.generate({ model: 'video-g', input: { prompt: 'a quay', duration: 5 }, policy });
    await eventually(async () => {
      expect(await estimate(...clip)).toEqual({
        credits: { low: 35, expected: 35, high: 35 },
        basis: expect.stringMatching(
          /^the catalogue: 0\.35 USD, in credits by what \d+ tasks? of it cost$/,
        ) as unknown,
      });
    });
  });

  it('goes by how long a source lasts, where that is known: of a file that is sent, and of what a step makes', async () => {
    const folder = await emptyFolder();
    const sound = async (seconds: number): Promise<string> => {
      const file = join(folder, `${seconds}.wav`);
      await writeFile(file, wavFile(new Int16Array(8_000 * seconds), 8_000));
      return `audio_url=@${file}`;
    };
    const policy = JSON.parse(POLICY) as object;
    const clip = { model: 'video-d', input: { prompt: 'a quay', duration: 4 } };
    const { outputs } = await world.generate({ ...clip, policy });
    const [output] = outputs;
    if (output === undefined) throw new Error('it has made nothing');
    const video = `video_url=${output.stored.uri}`;
    const short = await sound(4);
    const bought = await world.runHere('generate', 'lip-sync-h', video, short, '--policy', POLICY, '--json');
    expect(bought.json()).toMatchObject({ charged: { total: 40 } });
    await eventually(async () => {
      expect(await estimate('lip-sync-h', video, short)).toMatchObject({ basis: '1 task of this kind' });
    });
    // Others buy such tasks on the same server, at other prices.
    const longer = (await estimate('lip-sync-h', video, await sound(8))) as Estimated;
    expect(longer.credits.high).toBeGreaterThan(40);
    expect(longer.basis).toMatch(/^worked out from \d+ tasks? with another number of/);
    const foreign = ['video_url=https://a.example/1.mp4', 'audio_url=https://a.example/1.mp3'];
    const unmeasured = (await estimate('lip-sync-h', ...foreign)) as Estimated;
    expect(unmeasured.credits.high).toBeGreaterThanOrEqual(40);
    expect(unmeasured.basis).toMatch(/^\d+ tasks? of this kind: how long a source lasts is not known$/);
  });

  it('adds up what a pipeline buys, and does not where a price of it is not known', async () => {
    const still = { model: 'image-o', input: { prompt: 'a fox' } };
    const asked = { model: 'image-o', input: { prompt: { $param: 'what' } } };
    const known = await world.file('known.json', { steps: { one: still, two: asked } });
    const unknown = await world.file('unknown.json', {
      workspace: NOWHERE,
      steps: { one: still, large: { model: 'upscale-q', input: { image_url: { $from: 'one' } } } },
    });
    await world.generate({ ...still, policy: JSON.parse(POLICY) as object });
    await eventually(async () => {
      expect(await estimate(known, '--param', 'what=a fox')).toMatchObject({
        credits: { low: 10, expected: 10, high: 10 },
      });
    });
    expect(await estimate(unknown)).toEqual({
      credits: null,
      basis: 'not known: no task like one, large was seen',
    });
  });
});
