import { fileURLToPath } from 'node:url';
import type { BenchOptions } from '../../bench-options.ts';
import { type Figure, figure, interleave, median, ratios, rounded } from '../../measure.ts';
import { progress } from '../../progress.ts';
import { type Load, type LoadSample, measureLoad } from '../../stage/load.ts';
import { Stage } from '../../stage/stage.ts';

const MODEL = { fast: 'image-l', slow: 'image-o' };
const PROGRAM = new URL('worker-with-places.ts', import.meta.url);
/** What the API takes for the slow model's submits: one worker's places for submits are the limit then. */
const SLOW_ANSWER = 4_000;
/** Submits that one worker has in flight at most: so few that the processors can follow two. */
const PLACES = 20;

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
    fault: { kind: 'slow', ms: SLOW_ANSWER, when: 'before' },
  });
  const fast = quick ? { generations: 40, atOnce: 20 } : { generations: 200, atOnce: 60 };
  // As many turns of its places for each worker, with some always waiting.
  const slow = (size: number): Load => ({
    generations: (quick ? 2 : 6) * size * PLACES,
    atOnce: 2 * size * PLACES,
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
      baseline: `an API that answers submits after ${SLOW_ANSWER / 1_000} s, where a worker's places (${PLACES} here) are the limit; two have twice the work: one ${rate(bySlots.one)} (${shares(bySlots.one)}), two ${rate(bySlots.two)} (${shares(bySlots.two)})`,
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

function programFor(model: string): { program?: readonly string[] } {
  return model === MODEL.slow ? { program: [fileURLToPath(PROGRAM), String(PLACES)] } : {};
}

/** So many workers for one portion; the first has the receiver. */
async function crew(stage: Stage, size: number, model: string, load: Load): Promise<Crew> {
  const first = await stage.startWorker('darkroom', programFor(model));
  const others = await Promise.all(
    Array.from({ length: size - 1 }, () =>
      stage.startWorker('darkroom', { ...programFor(model), receiver: false }),
    ),
  );
  const endpoint = await stage.sendWebhooks('darkroom', first.webhookUrl ?? '');
  const all = [first, ...others];
  progress(`${size} workers, ${load.generations} generations by ${model}`);
  try {
    const processes = all.map(({ process }) => process);
    const sample = await measureLoad(stage, processes, load, () => stage.generation('darkroom', { model }));
    return { ...sample, seconds: load.generations / sample.perSecond };
  } finally {
    await stage.emulator.removeEndpoint(endpoint);
    await Promise.all(all.map((worker) => worker.stop()));
  }
}
