import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchOptions } from '../../bench-options.ts';
import { type Figure, figure, interleave, median, ratios, rounded } from '../../measure.ts';
import { progress } from '../../progress.ts';
import { type LoadSample, measureLoad } from '../../stage/load.ts';
import type { Measured } from '../../stage/program.ts';
import { Stage } from '../../stage/stage.ts';
import { startTemporalOnPostgresql } from '../../stage/temporal-on-postgresql.ts';

interface Sample extends LoadSample {
  database: number;
}

/** The Temporal of docker-compose.yml, whose data survive it, beside the dev server, which keeps them in memory. */
export async function postgresql({ rounds, quick }: BenchOptions): Promise<Figure[]> {
  const temporal = await startTemporalOnPostgresql();
  if ('reason' in temporal) {
    progress(`scale.postgresql is left out: ${temporal.reason}`);
    return [];
  }
  const { database, versions } = temporal;
  await using durable = await Stage.open({ temporal: () => Promise.resolve(temporal) });
  await using dev = await Stage.open();
  const load = quick ? { generations: 40, atOnce: 20 } : { generations: 200, atOnce: 40 };
  const portion = async (stage: Stage): Promise<() => Promise<Sample>> => {
    const { process } = await stage.start('darkroom');
    return async () => {
      const before = database.cpu();
      const sample = await measureLoad(stage, [process], load, () => stage.generation('darkroom'));
      const used = stage === durable ? database.cpu() - before : 0;
      return { ...sample, database: used / load.generations };
    };
  };
  const samples = await interleave(rounds, { postgresql: await portion(durable), dev: await portion(dev) });
  progress('both at rest');
  const idle = await shares(
    [durable.temporal.process, database, dev.temporal.process],
    quick ? 3_000 : 10_000,
  );

  const perSecond = (of: readonly Sample[]): number[] => of.map((one) => one.perSecond);
  const inAll = (of: readonly Sample[]): number[] => of.map((one) => one.server + one.database + one.worker);
  const each = (of: readonly Sample[], part: 'server' | 'database' | 'worker'): number =>
    Math.round(median(of.map((one) => one[part])));
  return [
    figure('scale.postgresql', ratios(perSecond(samples.postgresql), perSecond(samples.dev)), {
      unit: "of the dev server's generations/s",
      baseline: `${versions}: ${rounded(median(perSecond(samples.postgresql)))}/s; dev server: ${rounded(median(perSecond(samples.dev)))}/s`,
    }),
    figure('scale.postgresql.cpu', ratios(inAll(samples.postgresql), inAll(samples.dev)), {
      unit: "of the dev server's",
      baseline:
        `server + database + worker, a generation: ${(['server', 'database', 'worker'] as const).map((part) => each(samples.postgresql, part)).join(' + ')} ms, ` +
        `dev server + worker: ${each(samples.dev, 'server')} + ${each(samples.dev, 'worker')} ms; at rest server, database and dev server take ${idle.join(', ')} of a core`,
    }),
  ];
}

/** What processes use of a core, meanwhile. */
async function shares(processes: readonly Measured[], time: number): Promise<string[]> {
  const before = processes.map((one) => one.cpu());
  await sleep(time);
  return processes.map((one, index) => ((one.cpu() - (before[index] ?? 0)) / time).toFixed(2));
}
