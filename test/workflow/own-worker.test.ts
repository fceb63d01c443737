import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import {
  WorkflowFailedError,
  type WorkflowHandleWithFirstExecutionRunId,
  type WorkflowStartOptions,
} from '@temporalio/client';
import { bundleWorkflowCode, NativeConnection, Worker, type WorkflowBundle } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Charge } from '../../emulator/src/index.ts';
import { requestDigest } from '../../src/contract/purchases/request-digest.ts';
import { resetPoints, resetRun as resetTo } from '../../src/temporal/reset-run.ts';
import { darkroomPlugin } from '../../src/worker/index.ts';
import { deleteRuns } from '../delete-run.ts';
import { patience } from '../patience.ts';
import { eventually, openWorld, type World } from '../workflows/world.ts';
import type { album, film, fromTemplate, frugal, keyed, refused, series } from './film-workflows.ts';

/** A worker of somebody else's, with Darkroom added to it; Darkroom's own is stopped. */
let world: World;
let worker: Worker;
let connection: NativeConnection;
const workflowsPath = fileURLToPath(new URL('film-workflows.ts', import.meta.url));
let running: Promise<void>;
/** Called before a look at a child of that workflow is made. */
const beforeLook = new Map<string, () => Promise<void>>();

beforeAll(async () => {
  world = await openWorld();
  await world.stopWorker();
  const { address, namespace } = world.config.temporal;
  connection = await NativeConnection.connect({ address });
  const log = { debug() {}, info() {}, warn() {} };
  worker = await Worker.create({
    connection,
    namespace,
    taskQueue: `films-${randomUUID()}`,
    workflowsPath,
    plugins: [darkroomPlugin({ config: world.config, receiver: false, log })],
    interceptors: {
      activity: [
        ({ info }) => ({
          inbound: {
            async execute(input, next) {
              const { workflowId = '' } = info.workflowExecution ?? {};
              if (info.activityType === 'lookAtGeneration') await beforeLook.get(workflowId)?.();
              return await next(input);
            },
          },
        }),
      ],
    },
  });
  running = worker.run();
});

afterAll(async () => {
  if (worker.getState() === 'RUNNING') worker.shutdown();
  await running;
  await connection.close();
  await world.close();
});

async function start<Flow extends (...args: string[]) => Promise<unknown>>(
  name: string,
  ...args: Parameters<Flow>
): Promise<WorkflowHandleWithFirstExecutionRunId<Flow>> {
  const options = { workflowId: `${name}-${randomUUID()}`, taskQueue: worker.options.taskQueue, args };
  // The SDK's type asks whether there are arguments, which it cannot tell of a type parameter.
  return await world.client.workflow.start<Flow>(name, options as unknown as WorkflowStartOptions<Flow>);
}

/** What was charged for a workflow's children, in order. */
function chargesBelow(workflowId: string): Charge[] {
  const all = world.emulator.service().ledger.charges({});
  return all.filter(({ workflow }) => workflow?.includes(`/${workflowId}/`));
}

describe("a workflow of somebody's own", () => {
  it('buys a still and a clip, is Reset at every event, and is charged once', async () => {
    const handle = await start<typeof film>('film', 'a lighthouse at dawn');
    const made = await handle.result();
    const bought = chargesBelow(handle.workflowId);
    expect(bought.map(({ workflow }) => workflow)).toEqual([
      `generation/${handle.workflowId}/image-l-1`,
      `generation/${handle.workflowId}/clip`,
    ]);
    const first = handle.firstExecutionRunId;
    const points = await resetPoints(world.client, { workflowId: handle.workflowId, runId: first });
    expect(points.length).toBeGreaterThan(4);
    for (const point of points) {
      const runId = await resetTo(
        world.client,
        { workflowId: handle.workflowId, runId: first },
        point,
        'a test',
      );
      const again = world.client.workflow.getHandle<typeof film>(handle.workflowId, runId);
      expect(await again.result()).toEqual(made);
    }
    expect(chargesBelow(handle.workflowId)).toEqual(bought);
  }, 90_000);

  it('is Reset while a child runs, which goes on and is taken over', async () => {
    const handle = await start<typeof film>('film', 'a lighthouse at dusk');
    await eventually(() => expect(chargesBelow(handle.workflowId)).toHaveLength(1));
    const run = { workflowId: handle.workflowId, runId: handle.firstExecutionRunId };
    const [beginning] = await resetPoints(world.client, run);
    if (beginning === undefined) throw new Error('there is nothing to reset to');
    const runId = await resetTo(world.client, run, beginning, 'a test');
    await world.client.workflow.getHandle(handle.workflowId, runId).result();
    expect(chargesBelow(handle.workflowId)).toHaveLength(2);
  });

  it('fails with a child that a person cancels while the Reset run looks at it, and does not start it again', async () => {
    world.hold('cancelled meanwhile');
    const handle = await start<typeof film>('film', 'cancelled meanwhile');
    const { workflowId, firstExecutionRunId: runId } = handle;
    const child = world.client.workflow.getHandle(`generation/${workflowId}/image-l-1`);
    await eventually(() => world.until(child, 'waiting'));
    const before = await child.describe();
    const again = world.client.workflow.getHandle(workflowId);
    beforeLook.set(workflowId, async () => {
      beforeLook.delete(workflowId);
      await child.cancel();
      await eventually(async () => {
        const { events = [] } = await again.fetchHistory();
        const told = events?.find((event) => event.childWorkflowExecutionCanceledEventAttributes != null);
        expect(told).toBeDefined();
      });
    });
    const point = (await resetPoints(world.client, { workflowId, runId })).at(-1);
    if (point === undefined) throw new Error('there is nothing to reset to');
    await resetTo(world.client, { workflowId, runId }, point, 'a test');
    await expect(again.result()).rejects.toThrow(WorkflowFailedError);
    expect(beforeLook.has(workflowId)).toBe(false);
    const after = await child.describe();
    expect([after.runId, after.status.name]).toEqual([before.runId, 'CANCELLED']);
    expect(chargesBelow(workflowId)).toHaveLength(1);
  });

  it('buys a pipeline, is Reset at every event, and is charged once', async () => {
    const handle = await start<typeof album>('album', 'a harbour');
    expect(await handle.result()).toBe('COMPLETED');
    const bought = chargesBelow(handle.workflowId);
    expect(bought).toHaveLength(2);
    const run = { workflowId: handle.workflowId, runId: handle.firstExecutionRunId };
    for (const point of await resetPoints(world.client, run)) {
      const runId = await resetTo(world.client, run, point, 'a test');
      expect(await world.client.workflow.getHandle(handle.workflowId, runId).result()).toBe('COMPLETED');
    }
    expect(chargesBelow(handle.workflowId)).toEqual(bought);
  });

  it('keeps within the budget of its pipeline, whose failed steps each Reset of it buys again', async () => {
    const match = { promptIncludes: 'a dear view' };
    world.fault({ on: 'task', match, fault: { kind: 'fail', code: 'INVALID_INPUT' } });
    const handle = await start<typeof frugal>('frugal', 'a dear view', '24');
    const spent = (): number =>
      chargesBelow(handle.workflowId).reduce((sum, { credits }) => sum + credits, 0);
    expect(await handle.result()).toBe('PIPELINE_FAILED');
    const run = { workflowId: handle.workflowId, runId: handle.firstExecutionRunId };
    for (const point of await resetPoints(world.client, run)) {
      const runId = await resetTo(world.client, run, point, 'a test');
      expect(await world.client.workflow.getHandle(handle.workflowId, runId).result()).toBe(
        'PIPELINE_FAILED',
      );
      expect(spent()).toBeLessThanOrEqual(24);
    }
    expect(spent()).toBe(24);
  }, 90_000);

  it('is retried after it has gone on as new, and takes over what that very run has bought', async () => {
    const handle = await world.client.workflow.start<typeof series>('series', {
      workflowId: `series-${randomUUID()}`,
      taskQueue: worker.options.taskQueue,
      args: ['a mill', '2'],
      retry: { initialInterval: '1 millisecond', maximumAttempts: 4 },
    });
    const taskId = await handle.result();
    const bought = chargesBelow(handle.workflowId);
    const later = world.emulator
      .service()
      .ledger.charges({})
      .filter(({ workflow }) => workflow?.includes(`/${handle.workflowId}@`));
    expect(bought).toHaveLength(1);
    expect(later.map((charge) => charge.taskId)).toEqual([taskId]);
    expect(world.emulator.service().tasks.get(taskId)?.prompt).toBe('a mill, 2');
  }, 60_000);

  it('buys anew in the runs as which another start of it goes on, however soon that comes', async () => {
    const workflowId = `series-${randomUUID()}`;
    const { taskQueue } = worker.options;
    const made = async (): Promise<string> => {
      const options = { workflowId, taskQueue, args: ['a ford', '0'] as [string, string] };
      return await (await world.client.workflow.start<typeof series>('series', options)).result();
    };
    const tasks = [await made(), await made()];
    expect(chargesBelow(workflowId)).toHaveLength(1);
    const later = world.emulator.service().ledger.charges({});
    expect(
      later.filter(({ workflow }) => workflow?.includes(`/${workflowId}@`)).map((c) => c.taskId),
    ).toEqual(tasks);
  });

  it('tells by the failure what the API has refused', async () => {
    const handle = await start<typeof refused>('refused', '[[reject]]');
    expect(await handle.result()).toBe('CONTENT_REJECTED: 1 attempts');
  });

  it('shares a key with whoever uses it, and is refused one of another request', async () => {
    const key = randomUUID();
    const one = await (await start<typeof keyed>('keyed', key, 'a fox')).result();
    expect(await (await start<typeof keyed>('keyed', key, 'a fox')).result()).toBe(one);
    expect(await (await start<typeof keyed>('keyed', key, 'a bear')).result()).toBe('KEY_IN_USE');
    expect(world.charges(`generation/${key}`)).toHaveLength(1);
    const { memo } = await world.client.workflow.getHandle(`generation/${key}`).describe();
    const request = { model: 'image-l', input: { prompt: 'a fox' } };
    expect(memo).toMatchObject({ request: requestDigest('generation', request) });
  });

  it('makes from a template what its input leaves open, and the template is part of the purchase', async () => {
    for (const id of ['tpl_a', 'tpl_b'])
      world.emulator
        .service()
        .templates.create({ id, name: id, model: null, workspace: null, input: { prompt: `as ${id} says` } });
    const key = randomUUID();
    const made = async (templateId: string, as = key): Promise<string> =>
      await (await start<typeof fromTemplate>('fromTemplate', templateId, as)).result();
    const taskId = await made('tpl_a');
    expect(world.emulator.service().tasks.get(taskId)?.input).toMatchObject({ prompt: 'as tpl_a says' });
    expect(await made('tpl_a')).toBe(taskId);
    expect(await made('tpl_b')).toBe('KEY_IN_USE');
    expect(await made('tpl_none', randomUUID())).toBe('TEMPLATE_NOT_FOUND');
  });
});

describe('the plugin', () => {
  let workflowBundle: WorkflowBundle;
  beforeAll(async () => {
    workflowBundle = await bundleWorkflowCode({ workflowsPath, plugins: [darkroomPlugin()] });
  });

  it('replays the history of such a workflow, and needs nothing for it', async () => {
    const handle = await start<typeof film>('film', 'seen again');
    await handle.result();
    const history = await handle.fetchHistory();
    const options = { workflowBundle, plugins: [darkroomPlugin()] };
    // Its children's ids begin with its own.
    const replay = Worker.runReplayHistory(options, history, handle.workflowId);
    await expect(replay).resolves.toBeUndefined();
  });

  it('ends with what is to be done where the port of its receiver is taken', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo; // it listens on a port
    const config = { ...world.config, webhook: { ...world.config.webhook, port } };
    const log = { debug() {}, info() {}, warn() {} };
    // A Worker that never ran holds its connection for good: it gets one of its own.
    const own = await NativeConnection.connect({ address: config.temporal.address });
    const other = await Worker.create({
      connection: own,
      namespace: config.temporal.namespace,
      taskQueue: `films-${randomUUID()}`,
      workflowBundle,
      plugins: [darkroomPlugin({ config, log })],
    });
    await expect(other.run()).rejects.toThrow(
      `port ${port} is taken\n  set DARKROOM_WEBHOOK_PORT to a free one, for example DARKROOM_WEBHOOK_PORT=${port + 1}`,
    );
    taken.close();
  });

  it('refuses a Worker of another namespace than it is configured for', async () => {
    const plugin = darkroomPlugin({ config: world.config });
    const made = Worker.create({
      connection,
      namespace: 'elsewhere',
      taskQueue: 'films',
      workflowBundle,
      plugins: [plugin],
    });
    await expect(made).rejects.toThrow(
      "TEMPORAL_NAMESPACE is default, and the Worker's namespace is elsewhere",
    );
  });
});

/** Deletes generations, and the pipelines that they are steps of. */
async function deleteChildren(bought: readonly Charge[]): Promise<void> {
  const children = new Set(bought.map(({ workflow }) => workflow ?? ''));
  const albums = [...children].map((id) => /^pipeline\/[^/]+\/[^/]+/.exec(id)?.[0]);
  const all = [...new Set([...children, ...albums])].flatMap((id) => id ?? []);
  await Promise.all(all.map((id) => deleteRuns(world.client, id)));
}

describe("children of somebody's own workflow that the server has deleted", () => {
  it(
    'are taken over by a Reset of it, to whatever point',
    async () => {
      const flows = [
        await start<typeof film>('film', 'a pier'),
        await start<typeof album>('album', 'a quay'),
      ];
      for (const handle of flows) {
        const made: unknown = await handle.result();
        const { workflowId } = handle;
        const bought = chargesBelow(workflowId);
        const run = { workflowId, runId: handle.firstExecutionRunId };
        const points = await resetPoints(world.client, run);
        for (const point of points.filter((_, index) => index === 0 || index === points.length >> 1)) {
          await deleteChildren(bought);
          const runId = await resetTo(world.client, run, point, 'a test');
          expect(await world.client.workflow.getHandle(workflowId, runId).result()).toEqual(made);
        }
        expect(chargesBelow(workflowId)).toEqual(bought);
      }
    },
    patience(120_000),
  );

  it(
    'are taken over by another start of it',
    async () => {
      for (const [name, scene] of [
        ['film', 'a jetty'],
        ['album', 'a wharf'],
      ] as const) {
        const workflowId = `${name}-${randomUUID()}`;
        const { taskQueue } = worker.options;
        const startIt = () => world.client.workflow.start(name, { workflowId, taskQueue, args: [scene] });
        const made: unknown = await (await startIt()).result();
        const bought = chargesBelow(workflowId);
        await deleteChildren(bought);
        expect(await (await startIt()).result()).toEqual(made);
        expect(chargesBelow(workflowId)).toEqual(bought);
      }
    },
    patience(120_000),
  );
});
