import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Progress } from '../../src/contract/generation.ts';
import { mutate } from '../outputs/inspection/mutate.ts';
import { HANGING_ADTS, hungryMp4, sampleFiles } from '../outputs/inspection/samples.ts';
import { patience } from '../patience.ts';
import { FAST, openWorld, type World } from '../workflows/world.ts';

/** `HOSTILE=200 HONEST=50 npx vitest run test/e2e/hostile-outputs.test.ts` */
const HOSTILE = Number(process.env['HOSTILE'] ?? 10);
const HONEST = Number(process.env['HONEST'] ?? 3);
const MIB = 1024 ** 2;
const WORKER = fileURLToPath(new URL('../../src/worker.ts', import.meta.url));

let world: World;
let worker: ChildProcess;
let closeProxy: () => Promise<void>;
let log = '';

beforeAll(async () => {
  world = await openWorld();
  await world.stopWorker();
  const samples = await sampleFiles();
  const proxy = await startHostileProxy(Object.values(samples), samples['mp4'] ?? new Uint8Array());
  closeProxy = proxy.close;
  const { config } = world;
  worker = spawn(process.execPath, [WORKER], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TEMPORAL_ADDRESS: config.temporal.address,
      DARKROOM_API_URL: `${proxy.url}/api/v1`,
      DARKROOM_API_KEY: world.emulator.apiKey,
      DARKROOM_WEBHOOK_SECRET: config.workspaces.get('default')?.webhookSecrets[0],
      DARKROOM_WEBHOOK_PORT: '0',
      DARKROOM_TASK_QUEUE: config.taskQueue,
      DARKROOM_OUTPUTS: config.outputs.kind === 'folder' ? config.outputs.path : '',
      DARKROOM_PRIVATE_OUTPUTS: 'allow',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  worker.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const webhooks = await vi.waitFor(
    () => {
      const url = /"webhooks":"([^"]+)"/.exec(log)?.[1];
      if (url === undefined) throw new Error(`the worker does not run yet: ${log}`);
      return url;
    },
    { timeout: patience(20_000), interval: 50 },
  );
  for (const endpoint of world.emulator.service().endpoints.all()) {
    endpoint.url = webhooks;
    world.emulator.service().endpoints.save(endpoint);
  }
});
afterAll(async () => {
  worker.kill('SIGKILL');
  await closeProxy();
  await world.close();
});

/** Answers of a server of files that means harm, in turn. */
type Answer = (index: number, response: ServerResponse) => void;

/**
 * The emulated API, but for the records of tasks whose prompt says that they are hostile: these name files that this
 * server has made up, or too many of them, or are large themselves.
 */
async function startHostileProxy(
  samples: readonly Uint8Array[],
  mp4: Uint8Array,
): Promise<{ url: string; close: () => Promise<void> }> {
  const endless = (response: ServerResponse, bytes: number, pause: number): void => {
    const timer = setInterval(() => {
      if (!response.writableNeedDrain) response.write(Buffer.alloc(bytes)); // it is not our memory that is tried
    }, pause);
    response.on('close', () => clearInterval(timer));
  };
  const answers: Answer[] = [
    (index, response) => void response.end(mutate(samples[index % samples.length] ?? mp4, index)),
    (_, response) => endless(response, 64 * 1024, 100),
    (_, response) => void response.writeHead(200, { 'content-length': 5_000 * MIB }).write('x'),
    (_, response) => void response.end(HANGING_ADTS),
    (_, response) => void response.end(hungryMp4(mp4)),
    (_, response) => endless(response, 1, 500),
    (_, response) => void response.writeHead(302, { location: '/evil/0' }).end(),
    (_, response) => void response.write('HTTP/1.1 200'),
  ];
  const dataOf = (index: number, url: string): unknown => {
    const file = (path: string | number) => ({ url: `${url}/evil/${index % answers.length}/${path}` });
    const files = (count: number) => Array.from({ length: count }, (_, n) => file(`${index}-${n}`));
    if (index % 10 === 8) return { type: 'image', images: files(1_500) };
    if (index % 10 === 9) return { type: 'image', images: files(2), junk: 'x'.repeat(6 * MIB) };
    return { type: 'image', images: files(4) };
  };
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = '', method = 'GET' } = request;
    const [, evil] = /^\/evil\/(\d+)/.exec(url) ?? [];
    if (evil !== undefined) {
      answers[Number(evil)]?.(Number(/(\d+)-/.exec(url)?.[1] ?? 0), response);
      return;
    }
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const body = method === 'GET' ? undefined : await text(request);
    const { baseUrl } = world.emulator;
    const answer = await fetch(`${baseUrl}${url.slice('/api/v1'.length)}`, {
      method,
      headers: headers as Record<string, string>, // its own client sends no header twice
      ...(body === undefined ? {} : { body }),
    });
    const given = await answer.text();
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    const index = method === 'GET' ? hostileIndex(given) : undefined;
    response.end(
      index === undefined ? given : JSON.stringify({ ...recordOf(given), data: dataOf(index, own()) }),
    );
  };
  const server = createServer(
    (request, response) => void pass(request, response).catch(() => response.destroy()),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const own = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
  return {
    url: own(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function recordOf(given: string): Record<string, unknown> {
  return JSON.parse(given) as Record<string, unknown>; // the emulator's own answers
}

/** Which of the hostile tasks a completed record is of. */
function hostileIndex(given: string): number | undefined {
  const index = given.includes('"COMPLETED"') ? /"prompt":"hostile (\d+)"/.exec(given)?.[1] : undefined;
  return index === undefined ? undefined : Number(index);
}

/** The most memory that a process and its children have had so far, in bytes: of each its peak. */
function peakMemory(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const own = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
  return children.reduce((sum, child) => sum + peakMemory(Number(child)), own);
}

const ENDS = new Set(['COMPLETED', 'OUTPUT_UNAVAILABLE', 'storing']);

/** How a run has ended, or that it shows that it is at its files for long. */
async function endOf(handle: WorkflowHandle): Promise<string> {
  const ended = handle.result().then(
    () => 'COMPLETED',
    async () => (await world.failureOf(handle)).type ?? '',
  );
  const isStoring = async (): Promise<string> => {
    const { state } = await handle.query<Progress>('progress');
    if (state !== 'storing') throw new Error(`its state is ${state}`);
    return state;
  };
  return await Promise.any([
    ended,
    vi.waitFor(isStoring, { timeout: patience(60_000 + HOSTILE * 1_000), interval: 500 }),
  ]);
}

it(`${HONEST} honest generations complete beside ${HOSTILE} hostile ones, in less than 1 GB and with one worker`, {
  timeout: patience(120_000 + HOSTILE * 2_000),
}, async () => {
  const policy = { ...FAST, deadline: '10m', outputs: { wait: '5s' } };
  const start = (prompt: string) => world.start({ model: 'image-l', input: { prompt }, policy });
  const hostile = await Promise.all(Array.from({ length: HOSTILE }, (_, index) => start(`hostile ${index}`)));
  const honest = await Promise.all(Array.from({ length: HONEST }, (_, index) => start(`honest ${index}`)));
  const results = await Promise.all(honest.map((handle) => handle.result()));
  expect(results.map(({ status }) => status)).toEqual(Array<string>(HONEST).fill('COMPLETED'));
  // A file that comes slowly and without end may take its hour: the run says what it does, and a person may end it.
  const ends = await Promise.all(hostile.map((handle) => endOf(handle)));
  expect(ends.filter((end) => !ENDS.has(end))).toEqual([]);
  expect(ends).toContain('OUTPUT_UNAVAILABLE');
  for (const { workflowId } of hostile) expect(world.charges(workflowId)).toHaveLength(1);
  expect(worker.exitCode).toBeNull();
  const { pid = 0 } = worker;
  const own = Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  console.log(
    `peak: worker ${Math.round(own / MIB)} MiB, with its processes ${Math.round(peakMemory(pid) / MIB)} MiB`,
  );
  expect(own).toBeLessThan(1_000_000_000);
});
