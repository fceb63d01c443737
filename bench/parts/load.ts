import type { BenchOptions } from '../bench-options.ts';
import { type Figure, figure, interleave, median, ratios, rounded } from '../measure.ts';
import type { ContenderName } from '../stage/contenders.ts';
import { type LoadSample, measureLoad } from '../stage/load.ts';
import { Stage } from '../stage/stage.ts';

type Samples = Record<ContenderName, LoadSample[]>;

let measured: Promise<Samples> | undefined;

/** Generations a second: Darkroom against the floor and against a worker written by hand. */
export async function throughput(options: BenchOptions): Promise<Figure[]> {
  const samples = await measureOnce(options);
  const perSecond = (name: ContenderName): number[] => samples[name].map((sample) => sample.perSecond);
  const compared = (name: ContenderName, words: string): string =>
    `${words}: ${rounded(median(perSecond(name)))} generations/s; Darkroom: ${rounded(median(perSecond('darkroom')))}/s`;
  return [
    figure('throughput.floor', ratios(perSecond('darkroom'), perSecond('floor')), {
      unit: 'of the floor',
      target: '>= 0.8',
      baseline: compared('floor', 'one activity and one signal'),
    }),
    figure('throughput.byhand', ratios(perSecond('darkroom'), perSecond('byhand')), {
      unit: 'of by hand',
      target: '>= 1.3',
      baseline: compared('byhand', 'by hand'),
    }),
  ];
}

/** Processor time of the server and the worker together, a generation. */
export async function cpu(options: BenchOptions): Promise<Figure[]> {
  const samples = await measureOnce(options);
  const both = (name: ContenderName): number[] => samples[name].map(({ server, worker }) => server + worker);
  const words = (name: ContenderName): string => {
    const middle = (part: 'server' | 'worker' | 'emulator'): number =>
      Math.round(median(samples[name].map((sample) => sample[part])));
    return `${middle('server')} + ${middle('worker')} ms (and ${middle('emulator')} of the emulator's)`;
  };
  const baseline = `server + worker, a generation: by hand ${words('byhand')}, floor ${words('floor')}; Darkroom ${words('darkroom')}`;
  return [
    figure('cpu.byhand', ratios(both('darkroom'), both('byhand')), {
      unit: 'of by hand',
      target: '<= 0.8',
      baseline,
    }),
    figure('cpu.floor', ratios(both('darkroom'), both('floor')), { unit: 'of the floor', baseline }),
  ];
}

/** The two figures come from the same generations. */
function measureOnce(options: BenchOptions): Promise<Samples> {
  measured ??= measure(options);
  return measured;
}

async function measure({ rounds, quick }: BenchOptions): Promise<Samples> {
  await using stage = await Stage.open();
  const load = quick ? { generations: 40, atOnce: 20 } : { generations: 200, atOnce: 40 };
  const workers = {
    darkroom: await stage.start('darkroom'),
    byhand: await stage.start('byhand'),
    floor: await stage.start('floor'),
  };
  const one = (name: ContenderName) => (): Promise<LoadSample> =>
    measureLoad(stage, [workers[name].process], load, () => stage.generation(name));
  return await interleave(rounds, { darkroom: one('darkroom'), byhand: one('byhand'), floor: one('floor') });
}
