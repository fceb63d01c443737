import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wavFile } from '../../../emulator/src/media/sound/wav.ts';
import type { GenerationOutput } from '../../../src/contract/generation.ts';
import type { PipelineRequest } from '../../../src/contract/pipeline.ts';
import { bytesSource } from '../../../src/outputs/inputs/file-source.ts';
import { putFile } from '../../../src/outputs/inputs/put-file.ts';
import { createOutputStore } from '../../../src/outputs/stores/create-store.ts';
import { creditsBelow } from '../pipeline/steps.ts';
import { FAST, openWorld, type World } from '../world.ts';

/** Credits a second of the longest source. */
const SECOND = 10;
const SMALL = { side: 'shortest', pixels: 16 } as const;

let world: World;
let clip: GenerationOutput;
beforeAll(async () => {
  const assumptions = {
    creditsPerSourceSecond: { 'lip-sync-h': SECOND },
    prices: { 'speech-b': 1 },
    resolutions: { '720p': SMALL },
  };
  world = await openWorld({ emulator: { media: 'rendered', assumptions } });
  clip = await made('video-g', { prompt: 'a quay', duration: 1, aspect_ratio: '1:1' });
});
afterAll(() => world.close());

async function made(model: string, input: Record<string, unknown>): Promise<GenerationOutput> {
  const { outputs } = await world.generate({ model, input, policy: FAST });
  const [output] = outputs;
  if (output === undefined) throw new Error(`${model} has made nothing`);
  return output;
}

/** A file of the store with so many seconds of silence. */
async function sound(seconds: number): Promise<string> {
  const bytes = wavFile(new Int16Array(8_000 * seconds), 8_000);
  return await putFile(createOutputStore(world.config.outputs), bytesSource(bytes, 'audio/wav'));
}

const sync = (video: unknown, audio: unknown, more: { quality?: string } = {}) => ({
  model: 'lip-sync-h',
  input: { video_url: video, audio_url: audio, ...more },
});

async function run(credits: number | undefined, steps: PipelineRequest['steps']) {
  const budget = credits === undefined ? {} : { budget: { credits } };
  const handle = await world.pipeline({ policy: FAST, allowPartial: true, steps, ...budget });
  const result = await handle.result();
  return { ...result, charged: creditsBelow(world, handle.workflowId) };
}

describe('a budget', () => {
  it('is not passed by a step whose source, which an earlier one has made, is longer than what was seen', async () => {
    const film = (duration: number): PipelineRequest['steps'] => ({
      voice: { model: 'speech-b', input: { text: 'ahoy' } },
      film: { model: 'video-g', input: { prompt: 'a quay', duration, aspect_ratio: '1:1' } },
      spoken: sync({ $from: 'film' }, { $from: 'voice' }, { quality: 'standard' }),
    });
    const seen = await run(undefined, film(2));
    expect([seen.status, seen.charged]).toEqual(['COMPLETED', 1 + 10 + 2 * SECOND]);
    const before = 1 + 8 * 5;
    const refused = await run(before + 7 * SECOND, film(8));
    expect(refused.steps).toMatchObject({ spoken: { failure: { type: 'BUDGET_EXCEEDED' } } });
    expect(refused.charged).toBe(before);
    const fits = await run(before + 8 * SECOND, film(8));
    expect([fits.status, fits.charged]).toEqual(['COMPLETED', before + 8 * SECOND]);
  });

  it('is not passed by a longer file of the store', async () => {
    const [short, long] = await Promise.all([sound(4), sound(12)]);
    const { uri } = clip.stored;
    await run(4 * SECOND, { short: sync(uri, short, { quality: 'pro' }) });
    const steps = { short: sync(uri, short, { quality: 'pro' }), long: sync(uri, long, { quality: 'pro' }) };
    const { steps: ends, charged } = await run(11 * SECOND, steps);
    expect(ends).toMatchObject({ short: { status: 'COMPLETED' }, long: { status: 'FAILED' } });
    expect(charged).toBe(4 * SECOND);
    expect(await run(16 * SECOND, steps)).toMatchObject({ status: 'COMPLETED', charged: 16 * SECOND });
  });

  it('is gone through by sources of unknown lengths one after the other', async () => {
    const voice = await made('speech-b', { text: 'ahoy' });
    const names = Array.from({ length: 6 }, (_, index) => `s${index}`);
    const steps = Object.fromEntries(names.map((name) => [name, sync(clip.url, voice.url)]));
    expect(await run(6 * SECOND, steps)).toMatchObject({ status: 'COMPLETED', charged: 6 * SECOND });
  });
});
