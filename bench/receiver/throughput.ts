import { type Figure, figure, interleave, median, rounded } from '../measure.ts';
import { eventBody, type Generations, signedHeaders, wireRequest } from './deliveries.ts';
import { sendAll } from './load.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const DELIVERIES = 20_000;
const CONNECTIONS = 64;
const ROUNDS = 11;

/**
 * Signed 600-byte deliveries a second over keep-alive connections, against a bare node:http server that only
 * reads the body. Both get the same requests and each has a processor to itself, as far as the machine goes.
 * Ours verifies, parses, deduplicates, routes to a stubbed signal and only then answers.
 */
export async function measureThroughput(): Promise<Figure[]> {
  const bare = await startServer('bare-server.ts');
  const ours = await startServer('darkroom-server.ts', [String(DELIVERIES)]);
  let round = 0;
  /** Processor time of a delivery in µs, by server; other programs on this machine change it less than the rate. */
  const processor = new Map<ServerProcess, number[]>();
  const perSecond = async (server: ServerProcess, generations: Generations): Promise<number> => {
    round += 1;
    const requests = Array.from({ length: DELIVERIES }, (_, i) => {
      const body = eventBody(`task_${i}`);
      return wireRequest(signedHeaders(`msg_${round}_${i}_p5jXN8AQM9LW`, body, generations), body);
    });
    const { cpu } = await server.usage();
    const seconds = await sendAll(server.port, requests, CONNECTIONS);
    const used = ((await server.usage()).cpu - cpu) / DELIVERIES;
    processor.set(server, [...(processor.get(server) ?? []), used]);
    return DELIVERIES / seconds;
  };
  try {
    const figures: Figure[] = [];
    for (const generations of ['standard', 'both'] as const) {
      processor.clear();
      const values = await interleave(ROUNDS, {
        bare: () => perSecond(bare, generations),
        ours: () => perSecond(ours, generations),
      });
      const cpu = [bare, ours].map((server) => `${rounded(median(processor.get(server) ?? []))} µs`);
      const headers = generations === 'standard' ? 'standard headers' : 'headers of both generations';
      figures.push(
        figure(generations === 'standard' ? 'receiver.throughput' : 'receiver.throughput.both', values.ours, {
          unit: 'deliveries a second',
          baseline: `node:http reading the body: ${rounded(median(values.bare))}; processor time of a delivery: ${cpu.join(' and ours ')}; ${headers}`,
        }),
      );
    }
    return figures;
  } finally {
    await Promise.all([bare.stop(), ours.stop()]);
  }
}
