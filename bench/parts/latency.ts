import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchOptions } from '../bench-options.ts';
import { type Figure, figure, interleave, median, ratios, rounded } from '../measure.ts';
import { CONTENDERS, type ContenderName } from '../stage/contenders.ts';
import { Gateway } from '../stage/gateway.ts';
import { Stage } from '../stage/stage.ts';

/** Milliseconds. */
interface Latency {
  /** From the start's call at the caller until the POST was there. */
  start: number;
  /** From the receiver's 2xx until the caller has the result. */
  delivery: number;
}

/** The workflow has come to its wait by then. */
const TASK = { queue: 20, run: 180 };
const PAUSE = 50;

/** How long a caller waits for what is not the task itself, one generation at a time. */
export async function latency({ rounds, quick }: BenchOptions): Promise<Figure[]> {
  await using gateway = new Gateway();
  await gateway.listen();
  await using stage = await Stage.open({ durations: TASK });
  const names = ['darkroom', 'byhand', 'floor'] as const;
  for (const name of names) {
    const { webhookUrl = '' } = await stage.startWorker(name);
    await stage.sendWebhooks(name, gateway.addressOf(name, webhookUrl));
  }
  const runs = quick ? 5 : 25;
  const inRow = (name: ContenderName) => async (): Promise<Latency> => {
    const each: Latency[] = [];
    for (let run = 0; run < runs; run++) each.push(await measureOne(stage, gateway, name));
    return {
      start: median(each.map(({ start }) => start)),
      delivery: median(each.map(({ delivery }) => delivery)),
    };
  };
  const samples = await interleave(rounds, {
    darkroom: inRow('darkroom'),
    byhand: inRow('byhand'),
    floor: inRow('floor'),
  });
  const figureOf = (part: keyof Latency, target: string): Figure => {
    const of = (name: ContenderName): number[] => samples[name].map((sample) => sample[part]);
    const p50 = (name: ContenderName): string => `${rounded(median(of(name)))} ms`;
    return figure(`latency.${part}`, ratios(of('darkroom'), of('floor')), {
      unit: 'of the floor',
      target,
      baseline: `p50 of ${runs} in a row: floor ${p50('floor')}, by hand ${p50('byhand')}; Darkroom ${p50('darkroom')}`,
    });
  };
  return [figureOf('delivery', '<= 1.5'), figureOf('start', '<= 1.15')];
}

async function measureOne(stage: Stage, gateway: Gateway, name: ContenderName): Promise<Latency> {
  const began = performance.timeOrigin + performance.now();
  const handle = await stage.generate(name);
  await handle.result();
  const done = performance.now();
  const [task] = await stage.emulator.tasksOf(handle.workflowId);
  if (task === undefined) throw new Error(`${CONTENDERS[name].workflow} has bought nothing`);
  const accepted = await acceptance(gateway, task.id);
  await sleep(PAUSE);
  return { start: Date.parse(task.createdAt) - began, delivery: Math.max(0, done - accepted) };
}

/** The result may come a moment before the receiver's answer. */
async function acceptance(gateway: Gateway, taskId: string): Promise<number> {
  for (;;) {
    const at = gateway.accepted.get(taskId);
    if (at !== undefined) return at;
    await sleep(1);
  }
}
