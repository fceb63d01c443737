import type { BenchOptions } from '../../bench-options.ts';
import { type Figure, figure, interleave, median, ratios, rounded } from '../../measure.ts';
import { progress } from '../../progress.ts';
import { type Load, type LoadSample, measureLoad } from '../../stage/load.ts';
import { Stage } from '../../stage/stage.ts';

const MODEL = { fast: 'image-l', slow: 'image-o' };
/** What the API takes for the slow model's submits: one worker's places for submits are the limit then. */
const SLOW_ANSWER = 30_000;
/** Submits that one worker has in flight at most. */
const PLACES = 200;

/** Submits that an overloaded server loses on their way to a worker: nobody can tell that they were not sent. */
const NOBODY_TO_ASK = { reconcile: { otherwise: 'resubmit' } };

interface Crew extends LoadSample {
  seconds: number;
}

/**
 * One, two and four workers. Flat out they share two processors with the server; where the API answers slowly, a
 * worker's places are the limit, and further workers bring theirs.
 */
export async function workers({ rounds, quick }: BenchOptions): Promise<Figure[]> {
  await using stage = await Stage.open();
  await stage.emulator.fault({
    on: 'submit',
    match: { model: MODEL.slow },
    fault: { kind: 'slow', ms: quick ? 3_000 : SLOW_ANSWER, when: 'before' },
  });
  const fast = quick ? { generations: 40, atOnce: 20 } : { generations: 200, atOnce: 60 };
  // Two turns of the places for each worker, with some always waiting; started one by one, which all can follow.
  const slow = (size: number): Load => ({
    generations: 2 * size * PLACES,
    atOnce: 1.25 * size * PLACES,
    apart: 30,
  });
  const flatOut = await interleave(rounds, {
    one: () => crew(stage, 1, MODEL.fast, fast),
    two: () => crew(stage, 2, MODEL.fast, fast),
    four: () => crew(stage, 4, MODEL.fast, fast),
  });
  const bySlots = await interleave(quick ? 1 : rounds, {
    one: () => crew(stage, 1, MODEL.slow, slow(1)),
    two: () => crew(stage, 2, MODEL.slow, slow(2)),
  });
  const perSecond = (samples: readonly LoadSample[]): number[] => samples.map((one) => one.perSecond);
  const rate = (samples: readonly LoadSample[]): string => `${rounded(median(perSecond(samples)))}/s`;
  const shares = (samples: readonly Crew[]): string => {
    const share = (part: 'server' | 'worker'): string =>
      median(samples.map((one) => (one[part] * one.perSecond) / 1_000)).toFixed(2);
    return `server ${share('server')} and workers ${share('worker')} processors busy`;
  };
  return [
    figure('scale.workers2', ratios(perSecond(bySlots.two), perSecond(bySlots.one)), {
      unit: 'of one worker',
      target: '>= 1.7',
      baseline: `an API that answers submits after ${SLOW_ANSWER / 1_000} s, where a worker's places are the limit; two have twice the work: one ${rate(bySlots.one)} (${shares(bySlots.one)}), two ${rate(bySlots.two)} (${shares(bySlots.two)})`,
    }),
    ...(['two', 'four'] as const).map((crewName) =>
      figure(
        `scale.workers${crewName === 'two' ? 2 : 4}.flatout`,
        ratios(perSecond(flatOut[crewName]), perSecond(flatOut.one)),
        {
          unit: 'of one worker',
          baseline: `all processors busy: one ${rate(flatOut.one)} (${shares(flatOut.one)}), ${crewName} ${rate(flatOut[crewName])} (${shares(flatOut[crewName])})`,
        },
      ),
    ),
  ];
}

/** So many workers for one portion; the first has the receiver. */
async function crew(stage: Stage, size: number, model: string, load: Load): Promise<Crew> {
  const first = await stage.startWorker('darkroom');
  const others = await Promise.all(
    Array.from({ length: size - 1 }, () => stage.startWorker('darkroom', { receiver: false })),
  );
  const endpoint = await stage.sendWebhooks('darkroom', first.webhookUrl ?? '');
  const all = [first, ...others];
  progress(`${size} workers, ${load.generations} generations by ${model}`);
  try {
    const processes = all.map(({ process }) => process);
    const sample = await measureLoad(stage, processes, load, () =>
      stage.generation('darkroom', { model, policy: NOBODY_TO_ASK }),
    );
    return { ...sample, seconds: load.generations / sample.perSecond };
  } finally {
    await stage.emulator.removeEndpoint(endpoint);
    await Promise.all(all.map((worker) => worker.stop()));
  }
}
