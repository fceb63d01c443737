import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { DarkroomTaskId } from '../../../src/contract/search-attributes.ts';
import {
  type DevServer,
  type DevServerOptions,
  startDevServer,
} from '../../../src/local/temporal/dev-server.ts';
import { DevServerError } from '../../../src/local/temporal/dev-server-error.ts';
import { findServer } from '../../../src/local/temporal/find-server.ts';
import { freePort } from '../../../src/local/temporal/free-port.ts';
import { eventually } from '../../eventually.ts';
import { patience } from '../../patience.ts';

let binary: string;

beforeAll(async () => {
  const found = await findServer({ env: { ...process.env, TEMPORAL_ADDRESS: '' } });
  if (found.kind !== 'binary') throw new Error('no Temporal CLI to test with');
  binary = found.path;
}, 600_000);

async function start(options: Partial<DevServerOptions> = {}): Promise<DevServer> {
  const server = await startDevServer({ binary, ui: false, ports: { grpc: 0, ui: 0 }, ...options });
  onTestFinished(() => server.stop());
  return server;
}

async function clientOf({ address, namespace }: DevServer): Promise<Client> {
  const connection = await Connection.connect({ address });
  onTestFinished(() => connection.close());
  return new Client({ connection, namespace });
}

interface RunningProcess {
  pid: number;
  command: string;
}

/** All processes of the server at `address`: itself and the shells that watch over it. */
async function processesOf(address: string): Promise<RunningProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,args=']);
  const port = address.split(':')[1];
  return stdout
    .split('\n')
    .filter((line) => line.includes(`start-dev --ip 127.0.0.1 --port ${port} `))
    .map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim().replace(/^\d+ /, '') }));
}

async function isGone(address: string): Promise<boolean> {
  const port = Number(address.split(':')[1]);
  return (await processesOf(address)).length === 0 && (await freePort(port)) === port;
}

/** Zombies still exist, in this sense. */
function exists({ pid }: RunningProcess): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('a started server takes workflows and finds them by task id; stopped, it leaves no process', async () => {
  const server = await start({ namespace: 'studio' });
  expect(server).toMatchObject({ namespace: 'studio', uiUrl: null });
  const client = await clientOf(server);
  await client.workflow.start('nothing', {
    workflowId: 'generation/one',
    taskQueue: 'nobody',
    typedSearchAttributes: [{ key: DarkroomTaskId, value: 'task-1' }],
  });
  await eventually(async () => {
    const found: string[] = [];
    for await (const { workflowId } of client.workflow.list({ query: "DarkroomTaskId = 'task-1'" })) {
      found.push(workflowId);
    }
    expect(found).toEqual(['generation/one']);
  });

  const processes = await processesOf(server.address);
  expect(processes).not.toEqual([]);
  await server.stop();
  await server.stop();
  expect(processes.filter(exists)).toEqual([]);
});

test('a started server counts the actions that Temporal Cloud would bill, by the labels that the dashboard shows', async () => {
  const server = await start();
  const client = await clientOf(server);
  const { workflowId } = await client.workflow.start('nothing', {
    workflowId: 'generation/counted',
    taskQueue: 'nobody',
  });
  await client.workflow.getHandle(workflowId).signal('one');
  const counted = async (): Promise<string[]> =>
    (await (await fetch(server.metricsUrl)).text()).split('\n').filter((line) => line.startsWith('action{'));
  await eventually(async () => {
    const own = (await counted()).filter((line) => line.includes('namespace="default"'));
    for (const kind of ['StartWorkflowExecution', 'SignalWorkflowExecution'])
      expect(own).toContainEqual(expect.stringMatching(new RegExp(`action_type="grpc_${kind}".*} 1$`)));
  });
});

test('the Web UI answers where the server says', async () => {
  const { uiUrl } = await start({ ui: true });
  const page = await fetch(uiUrl ?? '');
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('<html');
});

test('the Web UI answers those only who ask for it by a name that no other machine can have', async () => {
  const { uiUrl } = await start({ ui: true });
  const { port, href } = new URL(uiUrl ?? '');
  const statusFor = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request(`${href}api/v1/namespaces`, { headers: { host } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`]) {
    await eventually(async () => expect(await statusFor(host)).toBe(200));
  }
  for (const host of [`evil.example:${port}`, 'localhost.evil.example'])
    expect(await statusFor(host)).toBe(403);
});

test('the HTTP API starts no workflow for a page in the browser', async () => {
  const server = await start();
  const answers = await Promise.all(
    (await portsOf(await processesOf(server.address))).map((port) =>
      fetch(`http://127.0.0.1:${port}/api/v1/namespaces/default/workflows/mine`, {
        method: 'POST',
        headers: { 'content-type': 'text/plain' },
        body: JSON.stringify({ workflowType: { name: 'generation' }, taskQueue: { name: 'darkroom' } }),
        signal: AbortSignal.timeout(10_000),
      }).then(
        ({ status }) => status,
        () => 0,
      ),
    ),
  );
  expect(answers).toContain(403);
  expect(answers).not.toContain(200);
});

/** The ports that processes listen on. */
async function portsOf(processes: readonly RunningProcess[]): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ss', ['-ltnpH']);
  const lines = stdout
    .split('\n')
    .filter((line) => processes.some(({ pid }) => line.includes(`pid=${pid},`)));
  return lines.map((line) => Number(/:(\d+)\s/.exec(line)?.[1]));
}

test('a usual port that is taken is left alone', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const address = taken.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  const server = await start({ ui: true, ports: { grpc: port, ui: port } });
  expect(server.address).not.toBe(`127.0.0.1:${port}`);
  expect(new URL(server.uiUrl ?? '').port).not.toBe(String(port));
});

test('two servers that reach for the same ports at the same time both come up', async () => {
  const ports = { grpc: await freePort(0), ui: await freePort(0) };
  const servers = await Promise.all([start({ ports }), start({ ports })]);
  expect(new Set(servers.map(({ address }) => address)).size).toBe(2);
});

test('with a database file what was there before a restart is there after it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-db-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const databaseFile = join(folder, 'temporal.db');
  const first = await start({ databaseFile });
  const options = { workflowId: 'generation/kept', taskQueue: 'nobody' };
  const { firstExecutionRunId } = await (await clientOf(first)).workflow.start('nothing', options);
  await first.stop();

  const client = await clientOf(await start({ databaseFile }));
  expect(await client.workflow.getHandle('generation/kept').describe()).toMatchObject({
    runId: firstExecutionRunId,
  });
});

test('a server that cannot start is reported with its own last words', async () => {
  const error = await start({ databaseFile: '/no/such/folder/temporal.db' }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(DevServerError);
  expect(String(error)).toMatch(/did not start: it ended with code 1\n.*no such file or directory/);
});

test('a server that dies while it is in use is reported', async () => {
  const onCrash = vi.fn<(error: DevServerError) => void>();
  const { address } = await start({ onCrash });
  const server = (await processesOf(address)).find(({ command }) => command.startsWith(binary));
  if (server === undefined) throw new Error('no such process');
  process.kill(server.pid, 'SIGKILL');
  await eventually(() => expect(onCrash).toHaveBeenCalledOnce());
  expect(onCrash.mock.calls[0]?.[0].message).toContain('stopped by itself: it ended with code 137');
  await expect.poll(() => isGone(address), { timeout: patience(8_000), interval: 100 }).toBe(true);
});

describe.concurrent('the server ends with its parent', () => {
  const parentProgram = fileURLToPath(new URL('parent-of-server.ts', import.meta.url));

  test.for<{ how: string; end: string; signal?: NodeJS.Signals }>([
    { how: 'killed by SIGKILL', end: 'wait', signal: 'SIGKILL' },
    { how: 'interrupted (SIGINT)', end: 'wait', signal: 'SIGINT' },
    { how: 'losing its terminal (SIGHUP)', end: 'wait', signal: 'SIGHUP' },
    { how: 'failing by an uncaught exception', end: 'throw' },
    { how: 'calling process.exit', end: 'exit' },
    { how: 'having nothing left to do', end: 'finish' },
  ])('$how', async ({ end, signal }, { expect }) => {
    const parent = spawn(process.execPath, [parentProgram, binary, end], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const closed = once(parent, 'close');
    // once() gives the event's arguments; a line event has one, the line.
    const [address] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string];
    if (signal) parent.kill(signal);
    await closed;
    await expect.poll(() => isGone(address), { timeout: patience(8_000), interval: 100 }).toBe(true);
  });
});
