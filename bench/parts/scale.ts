import type { BenchOptions } from '../bench-options.ts';
import type { Figure } from '../measure.ts';
import { inFlight } from './scale/in-flight.ts';
import { postgresql } from './scale/postgresql.ts';
import { workers } from './scale/workers.ts';

/** What more of everything does: generations in flight, workers, and a Temporal that keeps its data. */
export async function scale(options: BenchOptions): Promise<Figure[]> {
  return [...(await inFlight(options)), ...(await workers(options)), ...(await postgresql(options))];
}
