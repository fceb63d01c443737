import type { Figure } from './measure.ts';
import { measureLatency } from './receiver/latency.ts';
import { measureMemory } from './receiver/memory.ts';
import { measureThroughput } from './receiver/throughput.ts';
import { measureVerification } from './receiver/verification.ts';

const PARTS = {
  verification: measureVerification,
  throughput: measureThroughput,
  memory: measureMemory,
  latency: measureLatency,
};

/** The webhook receiver: deliveries a second, verification, memory, and what a signal saves the caller. */
export async function run(wanted: readonly string[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, measure] of Object.entries(PARTS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.error(`measuring ${name} …`);
    figures.push(...(await measure()));
  }
  return figures;
}
