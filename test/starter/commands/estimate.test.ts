import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../workflows/world.ts';
import { openStarterWorld, POLICY, type StarterWorld } from '../starter-world.ts';

/** A workspace in which nothing was ever bought: prices are of all that the server has. */
const NOWHERE = 'nowhere';

let world: StarterWorld;
beforeAll(async () => {
  world = await openStarterWorld();
});
afterAll(() => world.close());

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
