import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmulator } from '../emulator/src/server.ts';
import type { Config } from '../src/config/worker-config.ts';
import { openTemporal } from '../src/local/temporal/open-temporal.ts';
import { connectClient } from '../src/temporal/connection.ts';
import { quietTemporal } from '../src/worker/log.ts';
import { startDarkroom } from '../src/worker/start-darkroom.ts';
import { type Figure, figure } from './measure.ts';

const GENERATIONS = 500;
const LIMIT = 5;
const IDEAL = (GENERATIONS - LIMIT) / LIMIT;
const API_KEY = 'bench';
const STARTED_AT_ONCE = 25;

/** A burst of 500 generations in a workspace that the API limits to 5 submits a second. Takes two minutes. */
export async function run(): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack();
  quietTemporal({ debug() {}, info() {}, warn() {} });
  const temporal = await openTemporal({ ui: false, ports: { grpc: 0, ui: 0 } });
  cleanup.defer(() => temporal.stop());
  const emulator = await startEmulator({
    port: 0,
    media: 'tiny',
    durations: { queue: 20, run: 60 },
    accounts: [
      {
        workspace: 'default',
        apiKey: API_KEY,
        rateLimit: { limit: LIMIT, windowMs: 1_000, retryAfter: 'seconds' },
      },
    ],
  });
  cleanup.defer(() => emulator.close());
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-bench-'));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const config: Config = {
    apiUrl: emulator.baseUrl,
    workspaces: new Map([['default', { apiKey: API_KEY, webhookSecrets: [], legacy: 'refuse' }]]),
    webhook: { host: '127.0.0.1', port: 0, maxBodyBytes: 1_048_576 },
    outputs: { kind: 'folder', path: folder },
    privateOutputs: true,
    taskQueue: `bench-${randomUUID()}`,
    models: {},
    policy: { polling: { first: '1s', factor: 2, max: '10s' } },
    temporal: { address: temporal.address, namespace: temporal.namespace },
  };
  const log = {
    debug() {},
    info() {},
    warn: (fields: object, message: string) => console.error(message, fields),
  };
  const darkroom = await startDarkroom(config, { worker: true, receiver: false, preflight: false, log });
  cleanup.defer(() => darkroom.stop());
  const client = await connectClient(config.temporal);
  cleanup.defer(() => client.connection.close());

  console.error(`${GENERATIONS} generations against ${LIMIT} submits a second: ideally ${IDEAL} s …`);
  const began = Date.now();
  const results: Promise<unknown>[] = [];
  while (results.length < GENERATIONS) {
    const handles = await Promise.all(
      Array.from({ length: STARTED_AT_ONCE }, () =>
        client.workflow.start('generation', {
          taskQueue: config.taskQueue,
          workflowId: `generation/${randomUUID()}`,
          args: [{ model: 'image-l', input: { prompt: 'a lighthouse at dawn' } }],
        }),
      ),
    );
    results.push(...handles.map((handle) => handle.result()));
  }
  await Promise.all(results);
  const { ledger, counters } = emulator.service();
  const bought = ledger.charges({});
  const seconds = (Math.max(...bought.map(({ at }) => at)) - began) / 1_000;
  const refused = counters.snapshot().answers['submit 429'] ?? 0;
  return [
    figure('rate-limit.time', [seconds / IDEAL], {
      unit: 'of the ideal time',
      target: '<= 1.15',
      baseline: `${GENERATIONS} submits at ${LIMIT}/s after a burst of ${LIMIT}: ${IDEAL} s; ours: ${seconds.toFixed(1)} s`,
    }),
    figure('rate-limit.refused', [refused], {
      unit: 'refused POSTs',
      target: '<= 50',
      baseline: `${bought.length} accepted POSTs, one for each generation`,
    }),
  ];
}
