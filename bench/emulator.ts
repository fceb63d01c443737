import { JsonConnection } from './emulator/json-connection.ts';
import { API_KEY, getRequest, RESET_REQUEST, submitRequest } from './emulator/requests.ts';
import { type Figure, figure, interleave, median, ratios, rounded } from './measure.ts';
import { type ServerProcess, startServer } from './receiver/server-process.ts';

const PAIRS = 5_000;
const DELIVERIES = 5_000;
const CONNECTIONS = 32;
const ROUNDS = 7;
const REMEMBERED = 50_000;
const KILOBYTE = 1024;

/** Nothing happens to a task while submits are measured. */
const STANDING_STILL = { queue: 3_600_000, run: 3_600_000 };

/**
 * The emulator: tasks that are submitted and asked for, webhooks that are delivered, and what a task takes of the
 * memory. Client and emulator are processes of their own; the baseline is a node:http server that answers the same
 * JSON to every request.
 */
export async function run(): Promise<Figure[]> {
  console.error('measuring submits and polls, and deliveries …');
  const throughput = await measureThroughput();
  console.error('measuring memory …');
  return [...throughput, await measureMemory()];
}

async function measureThroughput(): Promise<Figure[]> {
  const sink = await startServer(program('webhook-server'));
  const [bare, emulator, sender] = await Promise.all([
    startServer(program('constant-server')),
    startEmulator({ durations: STANDING_STILL }),
    startEmulator({
      durations: { queue: 0, run: 0 },
      // One event a task. They wait for the sink to open, which must not count as a time-out.
      endpoints: [
        { workspace: 'default', url: `http://127.0.0.1:${sink.port}/`, events: ['task.completed'] },
      ],
      webhooks: { timeout: 600_000 },
    }),
  ]);
  try {
    const {
      bare: baseline,
      pairs,
      deliveries,
    } = await interleave(ROUNDS, {
      bare: () => pairsPerSecond(bare),
      pairs: async () => {
        await reset(emulator);
        return await pairsPerSecond(emulator);
      },
      deliveries: () => deliveriesPerSecond(sender, sink),
    });
    const described = (values: readonly number[], what: string) => ({
      unit: 'of the bare server',
      baseline: `node:http with a constant JSON: ${rounded(median(baseline))} pairs of requests/s; ours: ${rounded(median(values))} ${what}/s`,
    });
    return [
      figure('emulator.throughput', ratios(pairs, baseline), described(pairs, 'pairs of submit and get')),
      figure('emulator.deliveries', ratios(deliveries, baseline), described(deliveries, 'signed deliveries')),
    ];
  } finally {
    await Promise.all([sink, bare, emulator, sender].map((server) => server.stop()));
  }
}

/** How much the heap grows with each task that is remembered, after collecting garbage. */
async function measureMemory(): Promise<Figure> {
  const emulator = await startEmulator({ durations: STANDING_STILL }, ['--expose-gc']);
  try {
    await submitAndGet(emulator, PAIRS);
    const before = await emulator.usage();
    await submitAndGet(emulator, REMEMBERED);
    const after = await emulator.usage();
    const megabytes = (count: number): string => `${rounded(count / KILOBYTE / KILOBYTE)} MB`;
    return figure('emulator.memory', [(after.heap - before.heap) / REMEMBERED / KILOBYTE], {
      unit: 'KB of heap a task',
      baseline:
        `with ${PAIRS} tasks: heap ${megabytes(before.heap)}, resident ${megabytes(before.rss)}; ` +
        `with ${PAIRS + REMEMBERED}: ${megabytes(after.heap)}, ${megabytes(after.rss)}`,
    });
  } finally {
    await emulator.stop();
  }
}

/** One submit and one get of what it made, each after the other's answer. */
async function pairsPerSecond(server: ServerProcess): Promise<number> {
  return PAIRS / (await submitAndGet(server, PAIRS));
}

async function submitAndGet(server: ServerProcess, count: number): Promise<number> {
  return await inParallel(server, count, async (connection, turn) => {
    const answer = await connection.send(submitRequest(`a lighthouse at dawn, number ${turn}`));
    const { id } = JSON.parse(answer) as { id: string }; // both servers answer a task's record
    await connection.send(getRequest(id));
  });
}

/** From the moment when the receiver begins to answer until it has acknowledged all that has piled up. */
async function deliveriesPerSecond(emulator: ServerProcess, sink: ServerProcess): Promise<number> {
  await reset(emulator);
  await inParallel(emulator, DELIVERIES, (connection, turn) =>
    connection.send(submitRequest(`number ${turn}`)),
  );
  const gate = await JsonConnection.open(sink.port);
  const start = performance.now();
  await gate.send(`GET /open/${DELIVERIES} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  const seconds = (performance.now() - start) / 1_000;
  gate.close();
  return DELIVERIES / seconds;
}

/** @returns the seconds that it took */
async function inParallel(
  server: ServerProcess,
  count: number,
  work: (connection: JsonConnection, turn: number) => Promise<unknown>,
): Promise<number> {
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => JsonConnection.open(server.port)),
  );
  const start = performance.now();
  let next = 0;
  try {
    await Promise.all(
      connections.map(async (connection) => {
        while (next < count) await work(connection, next++);
      }),
    );
  } finally {
    for (const connection of connections) connection.close();
  }
  return (performance.now() - start) / 1_000;
}

async function reset(emulator: ServerProcess): Promise<void> {
  const connection = await JsonConnection.open(emulator.port);
  await connection.send(RESET_REQUEST);
  connection.close();
}

async function startEmulator(options: object, execArgv: readonly string[] = []): Promise<ServerProcess> {
  const accounts = [{ workspace: 'default', apiKey: API_KEY }];
  return await startServer(program('emulator-server'), [JSON.stringify({ accounts, ...options })], execArgv);
}

function program(name: 'constant-server' | 'emulator-server' | 'webhook-server'): URL {
  return new URL(`emulator/${name}.ts`, import.meta.url);
}
