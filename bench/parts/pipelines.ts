import type { GenerationResult } from '../../src/contract/generation.ts';
import type { BenchOptions } from '../bench-options.ts';
import { type Figure, figure, interleave, median, ratios, rounded } from '../measure.ts';
import { type ContenderName, taskQueueOf } from '../stage/contenders.ts';
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

/**
 * A pipeline of three steps against the same three generations: as children of a workflow that does nothing else, and
 * started by a caller, one after the other.
 */
export async function pipelines({ rounds, quick }: BenchOptions): Promise<Figure[]> {
  await using stage = await Stage.open();
  const worker = await stage.start('darkroom');
  const byHand = await stage.start('byhand');
  const load = quick ? { generations: 10, atOnce: 5 } : { generations: 60, atOnce: 15 };
  const measured = (work: () => Promise<unknown>) => (): Promise<LoadSample> =>
    measureLoad(stage, [worker.process, byHand.process], load, work);
  const run = async (name: ContenderName, workflow: string, args: unknown[]): Promise<unknown> =>
    await (await stage.startWorkflow(name, workflow, args)).result();
  const samples = await interleave(rounds, {
    pipelines: measured(() => run('darkroom', 'pipeline', [PIPELINE])),
    children: measured(() => run('byhand', 'filmByHand', [taskQueueOf('darkroom'), PROMPT, ZOOM])),
    singles: measured(() => threeSingles(stage)),
  });
  const perSecond = (one: LoadSample): number => one.perSecond;
  const cpu = (one: LoadSample): number => one.server + one.worker;
  const words = (of: (one: LoadSample) => number, unit: string): string => {
    const middle = (name: keyof typeof samples): string =>
      `${rounded(median(samples[name].map(of)))} ${unit}`;
    return `three generations started by the caller: ${middle('singles')}; as children of a bare workflow: ${middle('children')}; a pipeline: ${middle('pipelines')}`;
  };
  const compared = (of: (one: LoadSample) => number, to: 'singles' | 'children'): number[] =>
    ratios(samples.pipelines.map(of), samples[to].map(of));
  return [
    figure('pipelines', compared(perSecond, 'singles'), {
      unit: 'of three singles',
      baseline: words(perSecond, 'a second'),
    }),
    figure('pipelines.cpu', compared(cpu, 'singles'), {
      unit: 'of three singles',
      target: '<= 1.15',
      baseline: words(cpu, 'ms of server + worker'),
    }),
    figure('pipelines.cpu.children', compared(cpu, 'children'), {
      unit: 'of three children',
      target: '<= 1.15',
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
