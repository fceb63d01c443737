import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client, Connection } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { DarkroomTaskId, DarkroomWorkspace } from '../../src/contract/search-attributes.ts';
import { taskKey, type WorkspaceTask } from '../../src/contract/tasks/workspace-task.ts';
import { DEFAULT_WORKSPACE, entityId } from '../../src/contract/workflow-ids.ts';
import { openTemporal } from '../../src/local/temporal/open-temporal.ts';
import { ensureSearchAttributes } from '../../src/temporal/register-search-attributes.ts';
import { createTemporalSink } from '../../src/temporal/temporal-sink.ts';
import { until } from '../emulator/until.ts';
import { patience } from '../patience.ts';

/** Nobody works here: signals are taken all the same, and workflows stay as they are. */
const TASK_QUEUE = `nobody-${randomUUID()}`;

describe('events handed over to a real server', () => {
  let connection: Connection;
  let client: Client;
  const started: string[] = [];

  beforeAll(async () => {
    connection = await Connection.connect({ address: inject('temporalAddress') });
    client = new Client({ connection, namespace: inject('temporalNamespace') });
    await ensureSearchAttributes(connection, inject('temporalNamespace'));
  });
  afterAll(async () => {
    await Promise.allSettled(started.map((id) => client.workflow.getHandle(id).terminate()));
    await connection.close();
  });

  /** A workflow that holds a task, as far as the server can see. */
  async function startHolder(taskId: string, workspace: string = DEFAULT_WORKSPACE): Promise<string> {
    const workflowId = `generation/${randomUUID()}`;
    started.push(workflowId);
    await client.workflow.start('generation', {
      workflowId,
      taskQueue: TASK_QUEUE,
      typedSearchAttributes: new TypedSearchAttributes([
        { key: DarkroomTaskId, value: taskId },
        { key: DarkroomWorkspace, value: workspace },
      ]),
    });
    return workflowId;
  }

  const ours = (taskId: string): WorkspaceTask => ({ workspace: DEFAULT_WORKSPACE, taskId });
  const sink = () => createTemporalSink({ client, taskQueue: TASK_QUEUE });
  const completed = (taskId: string) => ({ webhookId: 'evt_1', type: 'task.completed', taskId });

  it('are taken by a workflow that runs and not wanted by one that does not', async () => {
    const workflowId = await startHolder('t-1');
    expect(await sink().signal(workflowId, completed('t-1'))).toBe('taken');
    await client.workflow.getHandle(workflowId).terminate();
    expect(await sink().signal(workflowId, completed('t-1'))).toBe('closed');
    expect(await sink().signal(`generation/${randomUUID()}`, completed('t-1'))).toBe('closed');
  });

  it('find the workflow that holds a task: a running one before a closed one', async () => {
    const [held, shared, unknown] = [randomUUID(), randomUUID(), `it's "${randomUUID()}" \\`];
    const holder = await startHolder(held);
    const running = await startHolder(shared);
    const closed = await startHolder(shared);
    await client.workflow.getHandle(closed).terminate();
    await until(
      async () =>
        (await client.workflow.count(`WorkflowId = '${closed}' AND ExecutionStatus = 'Terminated'`)).count ===
        1,
    );
    const found = await until(async () => {
      const found = await sink().find([held, shared, unknown].map(ours));
      return found.size === 2 && found;
    }, 'visibility');
    expect(found).toEqual(
      new Map([
        [taskKey(ours(held)), holder],
        [taskKey(ours(shared)), running],
      ]),
    );
  });

  it('find only workflows of their own workspace, even where two have a task of the same id', async () => {
    const [both, theirs] = [randomUUID(), randomUUID()];
    const mine = await startHolder(both);
    const other = await startHolder(both, 'studio');
    const onlyOther = await startHolder(theirs, 'studio');
    const asked = [both, theirs].flatMap((taskId) => [ours(taskId), { workspace: 'studio', taskId }]);
    const found = await until(async () => {
      const found = await sink().find(asked);
      return found.size === 3 && found;
    }, 'visibility');
    expect(asked.map((task) => found.get(taskKey(task)))).toEqual([mine, other, undefined, onlyOther]);
  });

  it('find nobody where no worker has registered the search attributes yet', async () => {
    const namespace = `bare-${randomUUID()}`;
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs('1 day'),
    });
    const bare = createTemporalSink({
      client: new Client({ connection, namespace }),
      taskQueue: TASK_QUEUE,
    });
    // Namespaces take a moment to be known.
    await vi.waitFor(async () => expect(await bare.find([ours(randomUUID())])).toEqual(new Map()), {
      timeout: patience(10_000),
    });
  });

  it('reach unclaimed-tasks, which is started by the first', async () => {
    const workspace = `w-${randomUUID()}`;
    started.push(entityId('unclaimed-tasks', workspace, TASK_QUEUE));
    const task = {
      taskId: 't-2',
      webhookId: 'evt_2',
      input: { prompt: 'fox' },
      createdAt: null,
      receivedAt: 1,
    };
    await sink().delayed(workspace); // nobody waits yet
    await sink().unclaimed(workspace, task, undefined);
    await sink().delayed(workspace);
    await sink().unclaimed(workspace, { ...task, taskId: 't-3' }, 'generation/a');
    const { events } = await client.workflow
      .getHandle(entityId('unclaimed-tasks', workspace, TASK_QUEUE))
      .fetchHistory();
    const notices = (events ?? []).flatMap(({ workflowExecutionSignaledEventAttributes: signaled }) =>
      signaled?.signalName === 'taskCreated' ? [JSON.parse(String(signaled.input?.payloads?.[0]?.data))] : [],
    );
    const signals = (events ?? []).map((event) => event.workflowExecutionSignaledEventAttributes?.signalName);
    expect(signals.filter((name) => name === 'eventsHeldUp')).toHaveLength(1);
    const fields = { prompt: expect.stringMatching(/^[\w-]{10}$/) };
    const toldAt = expect.any(Number);
    expect(notices).toEqual([
      { tasks: [{ taskId: 't-2', arrivedAt: 1, createdAt: null, fields }], toldAt },
      { tasks: [{ taskId: 't-3', arrivedAt: 1, createdAt: null, fields, owner: 'generation/a' }], toldAt },
    ]);
  });

  it('reach unclaimed-tasks however large their inputs are: nothing of them is handed over but digests', async () => {
    const workspace = `w-${randomUUID()}`;
    started.push(entityId('unclaimed-tasks', workspace, TASK_QUEUE));
    for (const bytes of [1_000_000, 2_200_000, 4_200_000]) {
      const input = { prompt: 'x'.repeat(bytes) };
      const task = { taskId: `t-${bytes}`, webhookId: 'evt_4', input, createdAt: null, receivedAt: 1 };
      await expect(sink().unclaimed(workspace, task, undefined)).resolves.toBeUndefined();
    }
  });

  it('are refused with an error when the server does not answer, in bounded time', async () => {
    const lost = Connection.lazy({ address: '127.0.0.1:1' });
    const sink = createTemporalSink({
      client: new Client({ connection: lost }),
      taskQueue: TASK_QUEUE,
      signalTimeout: 200,
      queryTimeout: 200,
    });
    await expect(sink.signal('generation/a', completed('t-1'))).rejects.toThrow('Failed to signal Workflow');
    await expect(sink.find([ours('t-1')])).rejects.toThrow(/visibility|list workflows/);
    expect(await sink.reachable()).toBe(false);
    await lost.close();
  });

  it('are taken by a server whose database takes them, and by no other, whatever it answers', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'darkroom-test-'));
    const databaseFile = join(folder, 'temporal.db');
    const env = { ...process.env, TEMPORAL_ADDRESS: '' };
    const temporal = await openTemporal({ ui: false, ports: { grpc: 0, ui: 0 }, databaseFile, env });
    const connection = await Connection.connect({ address: temporal.address });
    const client = new Client({ connection, namespace: temporal.namespace });
    const sink = createTemporalSink({ client, taskQueue: TASK_QUEUE });
    const database = new DatabaseSync(databaseFile, { timeout: 20_000 });
    try {
      await until(() => sink.reachable(), 'a server that takes events');
      database.exec('BEGIN EXCLUSIVE');
      expect(await client.workflowService.getSystemInfo({})).toBeDefined();
      expect(await sink.reachable()).toBe(false);
      database.exec('ROLLBACK');
      await until(() => sink.reachable(), 'a server that takes events again');
    } finally {
      database.close();
      await connection.close();
      await temporal.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
