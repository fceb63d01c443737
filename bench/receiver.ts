import type { BenchOptions } from './bench-options.ts';
import type { Figure } from './measure.ts';
import { measureLatency } from './receiver/latency.ts';
import { measureMemory } from './receiver/memory.ts';
import { measureThroughput } from './receiver/throughput.ts';
import { measureVerification } from './receiver/verification.ts';

const PARTS = {
  verify: measureVerification,
  throughput: measureThroughput,
  memory: measureMemory,
  latency: measureLatency,
};

/** The webhook receiver: deliveries a second, verification, memory, and what a signal saves the caller. */
export async function run(_options: BenchOptions, wanted?: keyof typeof PARTS): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, measure] of Object.entries(PARTS)) {
    if (wanted === undefined || name === wanted) figures.push(...(await measure()));
  }
  return figures;
}
