import { randomBytes, randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { msToTs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { EventType } from '../../../src/api/events/event-types.ts';
import { connectWorker } from '../../../src/temporal/connection.ts';
import { startDarkroom } from '../../../src/worker/start-darkroom.ts';
import { patience } from '../../patience.ts';
import { image } from '../../workflows/world.ts';
import { type DoctorWorld, listening, openDoctorWorld, proxyTo } from './doctor-world.ts';

const { TaskQueueType } = proto.temporal.api.enums.v1;
const SILENT = { debug() {}, info() {}, warn() {} };
const secret = () => `whsec_${randomBytes(32).toString('base64')}`;

interface Planted {
  env?: Record<string, string | undefined>;
  args?: string[];
  undo?: () => unknown;
}

interface Fault {
  name: string;
  plant: (world: DoctorWorld) => Promise<Planted> | Planted;
  finds: [check: string, status: 'failure' | 'warning', message: RegExp];
}

/** A namespace of its own, with other settings. */
async function namespace(
  { client, config }: DoctorWorld,
  days: number,
  attributes: Record<string, 1 | 2> = {},
): Promise<Planted> {
  const name = `doctor-${randomUUID()}`;
  await client.workflowService.registerNamespace({
    namespace: name,
    workflowExecutionRetentionPeriod: msToTs(days * 86_400_000),
  });
  await vi.waitFor(
    async () => {
      await client.workflowService.describeNamespace({ namespace: name });
      if (Object.keys(attributes).length > 0)
        await client.connection.operatorService.addSearchAttributes({
          namespace: name,
          searchAttributes: attributes,
        });
    },
    { timeout: patience(60_000), interval: 200 },
  );
  return { env: { TEMPORAL_ADDRESS: config.temporal.address, TEMPORAL_NAMESPACE: name } };
}

/** A worker of somebody's on a task queue. */
async function worker(
  { client, config }: DoctorWorld,
  taskQueue: string,
  buildId: string,
): Promise<() => Promise<void>> {
  const connection = await connectWorker(config.temporal);
  const one = await Worker.create({
    connection,
    namespace: config.temporal.namespace,
    taskQueue,
    buildId,
    identity: buildId,
    activities: { nothing: async () => undefined },
  });
  const running = one.run();
  await vi.waitFor(async () => {
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace: config.temporal.namespace,
      taskQueue: { name: taskQueue },
      taskQueueType: TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
    });
    expect((pollers ?? []).map(({ identity }) => identity)).toContain(buildId);
  }, patience(60_000));
  return async () => {
    one.shutdown();
    await running;
    await connection.close();
  };
}

function webhooksAt(url: string, undo: () => unknown): Planted {
  return { args: ['--webhook-url', `${url}/webhooks`], undo };
}

const FAULTS: Fault[] = [
  {
    name: 'Temporal is away',
    plant: () => ({ env: { TEMPORAL_ADDRESS: '127.0.0.1:9' } }),
    finds: ['temporal', 'failure', /nothing listens there/],
  },
  {
    name: 'there is no such namespace',
    plant: () => ({ env: { TEMPORAL_NAMESPACE: 'elsewhere' } }),
    finds: ['temporal', 'failure', /no namespace elsewhere/],
  },
  {
    name: 'runs are kept for an hour',
    plant: (world) => namespace(world, 1 / 24),
    finds: ['retention', 'warning', /kept for 60 min/],
  },
  {
    name: 'search attributes are missing',
    plant: (world) => namespace(world, 3, { DarkroomTaskId: 2 }),
    finds: ['search attributes', 'failure', /Missing: DarkroomModel, DarkroomWorkspace, DarkroomState/],
  },
  {
    name: 'a search attribute is of another type',
    plant: (world) => namespace(world, 3, { DarkroomState: 1 }),
    finds: ['search attributes', 'failure', /Keyword: DarkroomState/],
  },
  {
    name: 'nobody polls the task queue',
    plant: () => ({ env: { DARKROOM_TASK_QUEUE: 'nobody-is-here' } }),
    finds: ['workers for workflows', 'failure', /No worker polls task queue nobody-is-here/],
  },
  {
    name: 'nobody takes submits',
    async plant(world) {
      const taskQueue = `half-${randomUUID()}`;
      return { env: { DARKROOM_TASK_QUEUE: taskQueue }, undo: await worker(world, taskQueue, 'x') };
    },
    finds: ['workers for submits', 'failure', /No worker polls task queue half-.*-submit/],
  },
  {
    name: 'workers of two builds run side by side',
    plant: async (world) => ({ undo: await worker(world, world.config.taskQueue, 'another build') }),
    finds: ['versions of the workers for activities', 'warning', /Workers of 2 builds/],
  },
  {
    name: 'a deployment has no current version',
    async plant({ config }) {
      const taskQueue = `versioned-${randomUUID()}`;
      const deployment = { name: taskQueue, buildId: '1' };
      const versioned = await startDarkroom(
        { ...config, taskQueue, deployment },
        { worker: true, receiver: false, preflight: false, log: SILENT },
      );
      return { env: { DARKROOM_TASK_QUEUE: taskQueue }, undo: () => versioned.stop() };
    },
    finds: ['versions of the workers for workflows', 'failure', /has no current version/],
  },
  {
    name: "this machine's clock is an hour ahead",
    plant() {
      const real = Date.now;
      const spy = vi.spyOn(Date, 'now').mockImplementation(() => real() + 3_600_000);
      return { undo: () => spy.mockRestore() };
    },
    finds: ['clock', 'failure', /60 min ahead of Temporal's/],
  },
  {
    name: 'no receiver answers',
    plant: () => webhooksAt('http://127.0.0.1:9', () => undefined),
    finds: ['receiver of workspace default', 'failure', /cannot be reached/],
  },
  {
    name: 'the receiver has another secret',
    plant: () => ({ env: { DARKROOM_WEBHOOK_SECRET: secret() } }),
    finds: ['receiver of workspace default', 'failure', /answers 401/],
  },
  {
    name: 'the address leads to another server',
    async plant() {
      const { url, close } = await listening((_, response) => response.writeHead(204).end());
      return webhooksAt(url, close);
    },
    finds: ['receiver of workspace default', 'failure', /answers 204, not as a receiver/],
  },
  {
    name: 'the address redirects',
    async plant() {
      const { url, close } = await listening((_, response) =>
        response.writeHead(308, { location: '/' }).end(),
      );
      return webhooksAt(url, close);
    },
    finds: ['receiver of workspace default', 'failure', /does not follow redirects/],
  },
  {
    name: 'a proxy writes bodies anew',
    async plant(world) {
      const { url, close } = await proxyTo(world.webhookUrl(), (body) => JSON.stringify(JSON.parse(body)));
      return webhooksAt(url, close);
    },
    finds: ['receiver of workspace default', 'failure', /alters bodies/],
  },
  {
    name: 'a proxy refuses large bodies',
    async plant(world) {
      const { url, close } = await listening(async (request, response, body) => {
        if (body.length > 10_000) return response.writeHead(413).end();
        const headers = Object.entries(request.headers).filter(([name]) =>
          /^webhook-|^content-type$/.test(name),
        );
        const answer = await fetch(world.webhookUrl(), {
          method: 'POST',
          headers: headers as [string, string][], // each stands once
          body,
        });
        return response
          .writeHead(answer.status, { 'content-type': 'application/json' })
          .end(await answer.text());
      });
      return webhooksAt(url, close);
    },
    finds: ['receiver of workspace default', 'failure', /100 kB: answers 413/],
  },
  {
    name: 'a setting is misspelt',
    plant: () => ({ env: { DARKROOM_OUTPUT_DIR: '/srv' } }),
    finds: ['settings', 'warning', /DARKROOM_OUTPUT_DIR is not a setting/],
  },
  {
    name: 'task.created is not subscribed',
    async plant(world) {
      const { endpoint, emulator } = world;
      const all = endpoint.events;
      const save = (events: EventType[]): void => {
        endpoint.events = events;
        emulator.service().endpoints.save(endpoint);
      };
      await world.stopWorker();
      await world.startWorker(); // it has seen nothing
      save(['task.completed']);
      await Promise.all(['one', 'two', 'three', 'four'].map((prompt) => world.generate(image(prompt))));
      await vi.waitFor(async () => {
        const { findings } = await world.doctor();
        expect(findings).toContainEqual(
          expect.objectContaining({ check: 'events of workspace default', status: 'warning' }),
        );
      }, patience(60_000));
      return { undo: () => save(all) };
    },
    finds: ['events of workspace default', 'warning', /no task.created has come/],
  },
  {
    name: 'no credits are left',
    plant({ emulator }) {
      const { accounts } = emulator.service();
      const [workspace] = accounts.workspaces();
      if (workspace === undefined) throw new Error('there is a workspace');
      const { pools } = workspace;
      accounts.saveWorkspace(
        Object.assign(workspace, { pools: { ...pools, permanent: 0, subscription: 0 } }),
      );
      return { undo: () => accounts.saveWorkspace(Object.assign(workspace, { pools })) };
    },
    finds: ['balance of workspace default', 'warning', /No credits are available/],
  },
  {
    name: 'the API is away',
    plant({ emulator }) {
      const { faults } = emulator.service();
      const { id } = faults.add({ on: 'credits', fault: { kind: 'html', status: 502 } });
      return { undo: () => faults.remove(id) };
    },
    finds: ['media API', 'failure', /gives no balance to workspace default/],
  },
  {
    name: 'the key is revoked',
    plant({ emulator }) {
      const { accounts } = emulator.service();
      const [key] = accounts.keys();
      if (key === undefined) throw new Error('there is a key');
      accounts.revokeKey(key);
      return {
        undo() {
          key.revokedAt = null;
        },
      };
    },
    finds: ['key of workspace default', 'failure', /refuses key [0-9a-f]{8} \(UNAUTHORIZED\)/],
  },
  {
    name: 'stored files are not at their public address',
    async plant(world) {
      const { url, close } = await listening((_, response) => response.writeHead(404).end());
      Object.assign(world.config, { publicOutputs: { kind: 'base', url } });
      await world.stopWorker();
      await world.startWorker();
      return { undo: () => (close(), Object.assign(world.config, { publicOutputs: undefined })) };
    },
    finds: ['public outputs', 'failure', /answers 404/],
  },
  {
    name: 'workers have no webhook secret',
    async plant(world) {
      const { config } = world;
      const { workspaces } = config;
      const { apiKey = '' } = workspaces.get('default') ?? {};
      const bare = { apiKey, webhookSecrets: [], legacy: 'refuse' } as const;
      Object.assign(config, { workspaces: new Map([['default', { ...bare, webhookSecrets: [] }]]) });
      await world.stopWorker();
      await world.startWorker();
      return { args: [], undo: () => Object.assign(config, { workspaces }) };
    },
    finds: ['webhook secrets of workspace default', 'warning', /There is none/],
  },
  {
    name: 'the store is away',
    async plant({ config }) {
      if (config.outputs.kind !== 'folder') throw new Error('the store is a folder');
      const { path } = config.outputs;
      await rm(path, { recursive: true });
      await writeFile(path, 'a file in its place');
      return { args: [], undo: () => rm(path) };
    },
    finds: ['store', 'failure', /cannot use the folder/],
  },
];

describe(`doctor finds each of ${FAULTS.length} planted faults`, () => {
  let world: DoctorWorld;
  beforeAll(async () => {
    world = await openDoctorWorld();
  });
  afterAll(() => world.close());

  it.each(FAULTS)('$name', async ({ plant, finds: [check, status, message] }) => {
    const planted = await plant(world);
    try {
      const { code, findings } = await world.doctor(planted.env, planted.args);
      expect(findings).toContainEqual({
        check,
        status,
        message: expect.stringMatching(message) as unknown,
        fix: expect.stringMatching(/\w/) as unknown,
      });
      expect(code).toBe(findings.some((finding) => finding.status === 'failure') ? 1 : 0);
    } finally {
      await planted.undo?.();
    }
  });
});
