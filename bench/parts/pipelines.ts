import type { GenerationResult } from '../../src/contract/generation.ts';
import type { BenchOptions } from '../bench-options.ts';
import { type Figure, figure, interleave, median, ratios, rounded } from '../measure.ts';
import { type LoadSample, measureLoad } from '../stage/load.ts';
import { Stage } from '../stage/stage.ts';

const PROMPT = 'a lighthouse at dawn';
const ZOOM = 'slow zoom';

const PIPELINE = {
  steps: {
    still: { model: 'image-l', input: { prompt: PROMPT } },
    large: { model: 'upscale-q', input: { image_url: { $from: 'still' } } },
    clip: { model: 'video-f', input: { prompt: ZOOM, first_frame_url: { $from: 'large' } } },
  },
};

/** A pipeline of three steps against a caller that starts the same three generations itself, one after the other. */
export async function pipelines({ rounds, quick }: BenchOptions): Promise<Figure[]> {
  await using stage = await Stage.open();
  const worker = await stage.start('darkroom');
  const load = quick ? { generations: 10, atOnce: 5 } : { generations: 60, atOnce: 15 };
  const measured = (work: () => Promise<unknown>) => (): Promise<LoadSample> =>
    measureLoad(stage, [worker.process], load, work);
  const samples = await interleave(rounds, {
    pipelines: measured(async () => (await stage.startWorkflow('darkroom', 'pipeline', [PIPELINE])).result()),
    singles: measured(() => threeSingles(stage)),
  });
  const perSecond = (one: LoadSample): number => one.perSecond;
  const cpu = (one: LoadSample): number => one.server + one.worker;
  const words = (of: (one: LoadSample) => number, unit: string): string =>
    `three generations started by the caller: ${rounded(median(samples.singles.map(of)))} ${unit}; a pipeline: ${rounded(median(samples.pipelines.map(of)))} ${unit}`;
  const compared = (of: (one: LoadSample) => number): number[] =>
    ratios(samples.pipelines.map(of), samples.singles.map(of));
  return [
    figure('pipelines', compared(perSecond), {
      unit: 'of three singles',
      baseline: words(perSecond, 'a second'),
    }),
    figure('pipelines.cpu', compared(cpu), {
      unit: 'of three singles',
      baseline: words(cpu, 'ms of server + worker'),
    }),
  ];
}

async function threeSingles(stage: Stage): Promise<void> {
  const still = await one(stage, 'image-l', { prompt: PROMPT });
  const large = await one(stage, 'upscale-q', { image_url: still });
  await one(stage, 'video-f', { prompt: ZOOM, first_frame_url: large });
}

/** @returns the URL of what was made */
async function one(stage: Stage, model: string, input: object): Promise<string> {
  const { outputs } = (await stage.generation('darkroom', { model, input })) as GenerationResult; // of `generation`
  return outputs[0]?.url ?? '';
}
