import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { compileCache } from '../../src/config/compile-cache.ts';
import { eventually } from '../eventually.ts';
import { patience } from '../patience.ts';
import { FAST, openWorld, type World } from '../workflows/world.ts';

const WORKER = fileURLToPath(new URL('../../src/worker.ts', import.meta.url));

let world: World;
const processes = new Set<ChildProcess>();

beforeAll(async () => {
  world = await openWorld();
  await world.stopWorker();
});
afterAll(async () => {
  for (const child of processes) child.kill('SIGKILL');
  await world.close();
});

/** The program `npm run worker` as a process of its own, once it runs. */
async function startWorker(
  env: Record<string, string> = {},
  flags: string[] = [],
): Promise<{ child: ChildProcess; webhooks: string; metrics: string; log: () => string }> {
  const { config, emulator } = world;
  const child = spawn(process.execPath, [WORKER, ...flags], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_COMPILE_CACHE: compileCache(),
      TEMPORAL_ADDRESS: config.temporal.address,
      DARKROOM_API_URL: emulator.baseUrl,
      DARKROOM_API_KEY: emulator.apiKey,
      DARKROOM_WEBHOOK_SECRET: config.workspaces.get('default')?.webhookSecrets[0],
      DARKROOM_WEBHOOK_PORT: '0',
      DARKROOM_TASK_QUEUE: config.taskQueue,
      DARKROOM_OUTPUTS: config.outputs.kind === 'folder' ? config.outputs.path : '',
      DARKROOM_PRIVATE_OUTPUTS: 'allow',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  processes.add(child);
  let log = '';
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const line = await vi.waitFor(
    () => {
      const running = /^.* running"}$/m.exec(log)?.[0];
      if (running === undefined && child.exitCode === null)
        throw new Error(`the worker does not run yet: ${log}`);
      return running;
    },
    { timeout: patience(60_000), interval: 50 },
  );
  if (line === undefined) throw new Error(`the worker has ended: ${log}`);
  const { webhooks = '', metrics = '' } = JSON.parse(line) as { webhooks?: string; metrics?: string }; // its own log
  if (webhooks === '') return { child, webhooks, metrics, log: () => log };
  for (const endpoint of world.emulator.service().endpoints.all()) {
    endpoint.url = webhooks;
    world.emulator.service().endpoints.save(endpoint);
  }
  return { child, webhooks, metrics, log: () => log };
}

const policy = {
  ...FAST,
  submit: { timeout: '10s', heartbeat: '1s' },
  reconcile: { wait: '50s', otherwise: 'fail' },
};

/** Real programs start and are killed here, and Temporal waits 10 s for a killed one's cached workflows. */
const TIME_LIMIT = { timeout: patience(150_000) };

describe('the worker process', TIME_LIMIT, () => {
  it('killed in the middle of a POST has its task adopted by the next one, and nothing is bought twice', async () => {
    const first = await startWorker();
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'killed' },
      times: 1,
      fault: { kind: 'slow', ms: 8_000 },
    });
    world.fault({
      on: 'webhook',
      match: { promptIncludes: 'killed', event: 'task.created' },
      fault: { kind: 'late', ms: 500 },
    });
    const handle = await world.start({ model: 'image-l', input: { prompt: 'killed' }, policy });
    await eventually(() => expect(world.charges(handle.workflowId)).toHaveLength(1));
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const second = await startWorker();
    const result = await handle.result();
    expect(result.attempts).toMatchObject([{ outcome: 'completed', adopted: true }]);
    expect(world.charges(handle.workflowId).map(({ taskId }) => taskId)).toEqual([result.taskId]);
    second.child.kill('SIGKILL');
  });

  it('asked to stop in the middle of a POST waits for its answer', async () => {
    const first = await startWorker();
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'drained' },
      times: 1,
      fault: { kind: 'slow', ms: 1_500 },
    });
    const handle = await world.start({ model: 'image-l', input: { prompt: 'drained' }, policy });
    await eventually(() => expect(world.charges(handle.workflowId)).toHaveLength(1));
    first.child.kill('SIGTERM');
    const [code] = (await once(first.child, 'exit')) as [number | null];
    expect(code).toBe(0);
    const second = await startWorker();
    expect((await handle.result()).attempts).toMatchObject([{ outcome: 'completed', adopted: false }]);
    expect(world.charges(handle.workflowId)).toHaveLength(1);
    second.child.kill('SIGKILL');
  });

  it('that ends over a file leaves it to an ordinary activity of the next one, whose end the run would see', async () => {
    const first = await startWorker();
    const rule = { on: 'file', match: { promptIncludes: 'poison' }, times: 1 } as const;
    // Longer than a busy machine takes to kill it.
    const { id } = world.emulator.service().faults.add({ ...rule, fault: { kind: 'slow', ms: 8_000 } });
    // What the next worker takes over, it knows from a finished workflow task: the run waits before the file comes.
    const release = world.hold('poison');
    const handle = await world.start({ model: 'image-l', input: { prompt: 'poison' }, policy });
    await world.until(handle, 'waiting');
    release();
    const fetched = (): number | undefined => world.emulator.service().faults.get(id)?.injected;
    await eventually(() => expect(fetched()).toBe(1));
    first.child.kill('SIGKILL');
    const second = await startWorker();
    expect((await handle.result()).status).toBe('COMPLETED');
    const { events } = await handle.fetchHistory();
    const types = events?.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
    expect(types).toContain('lookAtTask');
    expect(world.charges(handle.workflowId)).toHaveLength(1);
    second.child.kill('SIGKILL');
  });

  it('tells its health and its metrics on a port of their own, apart from the webhooks', async () => {
    const { child, webhooks, metrics } = await startWorker({ DARKROOM_METRICS_PORT: '0' });
    const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;
    expect(await statusOf(metrics.replace('/metrics', '/readyz'))).toBe(200);
    expect(await (await fetch(metrics)).text()).toMatch(
      /^process_cpu_seconds_total [^]*^darkroom_webhook_received_total 0/m,
    );
    // The SDK's own are shown on the same port.
    await vi.waitFor(async () => {
      const text = await (await fetch(metrics)).text();
      expect(text).toMatch(/^temporal_worker_task_slots_available\{.*\} /m);
      expect(text).toMatch(
        /^temporal_workflow_task_schedule_to_start_latency_seconds|^temporal_num_pollers/m,
      );
    }, patience(30_000));
    for (const path of ['/metrics', '/readyz']) {
      expect(await statusOf(webhooks.replace('/webhooks', path))).toBe(404);
    }
    child.kill('SIGTERM');
    await once(child, 'exit');
  });

  it('that has no receiver tells its health and its metrics all the same', async () => {
    const { child, metrics } = await startWorker({ DARKROOM_METRICS_PORT: '0' }, ['--no-receiver']);
    expect((await fetch(metrics.replace('/metrics', '/readyz'))).status).toBe(200);
    expect(await (await fetch(metrics)).text()).toContain('process_cpu_seconds_total');
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number | null];
    expect(code).toBe(0);
  });

  it('starts while the API is away, says so, and is ready for what needs no API', async () => {
    const env = { DARKROOM_METRICS_PORT: '0', DARKROOM_API_URL: 'http://127.0.0.1:9/api/v1' };
    const { child, metrics, log } = await startWorker(env);
    expect((await fetch(metrics.replace('/metrics', '/readyz'))).status).toBe(200);
    expect(log()).toMatch(/"code":"NETWORK".*the media API is not reachable.*DARKROOM_API_URL is http/);
    child.kill('SIGTERM');
    await once(child, 'exit');
  });

  it('starts while the key of one of its workspaces is revoked, and names the key', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'darkroom-test-'));
    const file = join(folder, 'darkroom.json');
    await writeFile(file, JSON.stringify({ workspaces: { studio: { apiKey: 'revoked' } } }));
    const { child, log } = await startWorker({ DARKROOM_CONFIG: file });
    expect(log()).toMatch(
      /"workspace":"studio","code":"UNAUTHORIZED".*check the apiKey of workspace studio in DARKROOM_CONFIG/,
    );
    const handle = await world.start({ model: 'image-l', input: { prompt: 'another key' }, policy });
    expect((await handle.result()).status).toBe('COMPLETED');
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  it('starts and warns where what answers is not the media API, and of a name that is no setting', async () => {
    const other = createServer((_, response) => response.end('<h1>It works!</h1>')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo; // a TCP server's address
    const { child, log } = await startWorker({
      DARKROOM_API_URL: `http://127.0.0.1:${port}/api/v1`,
      DARKROOM_OUTPUT_DIR: '/srv/outputs',
    });
    expect(log()).toContain('does not tell the credits as the media API does');
    expect(log()).toContain('DARKROOM_OUTPUT_DIR is not a setting and has no effect');
    child.kill('SIGKILL');
    other.close();
  });

  it.each([
    ['a wrong key', { DARKROOM_API_KEY: 'wrong' }, /DARKROOM_API_KEY/],
    ['no Temporal', { TEMPORAL_ADDRESS: '127.0.0.1:9' }, /TEMPORAL_ADDRESS/],
    ['a wrong port', { DARKROOM_WEBHOOK_PORT: 'eighty' }, /DARKROOM_WEBHOOK_PORT/],
    [
      'an address that is not here',
      { DARKROOM_METRICS_PORT: '0', DARKROOM_METRICS_HOST: '192.0.2.1' },
      /DARKROOM_METRICS_HOST/,
    ],
  ])('with %s ends with one clear message, and no stack trace', async (_, env, message) => {
    const error: Error = await startWorker(env).then(
      () => new Error('it runs'),
      (reason: Error) => reason,
    );
    expect(error.message).toMatch(message);
    expect(error.message).not.toMatch(/\n\s+at /);
  });
});
