import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FaultRuleInput } from '../../../emulator/src/faults/rule.ts';
import { getTask } from '../../../src/activities/generation/get-task.ts';
import { fieldDigests } from '../../../src/api/input/field-digests.ts';
import type { TaskReport, TaskRequest } from '../../../src/contract/tasks/task-look.ts';
import { takenTaskId } from '../../../src/contract/workflow-ids.ts';
import { eventually } from '../../eventually.ts';
import { type ActivityStage, attempt, LOCKED_OUT, openActivityStage, run } from '../activity-stage.ts';

let stage: ActivityStage;
beforeAll(async () => {
  stage = await openActivityStage();
});
afterAll(() => stage.close());
beforeEach(() => stage.emulator.service().reset());

function get(taskId: string, request: Partial<TaskRequest> = {}): Promise<TaskReport> {
  return run(attempt(), stage.activities.getTask, { taskId, workspace: 'default', ...request });
}

/** A task's report once it is terminal. */
async function settled(taskId: string): Promise<TaskReport> {
  return await eventually(async () => {
    const report = await get(taskId);
    expect(report).toMatchObject({ status: expect.stringMatching(/COMPLETED|FAILED|CANCELED/) });
    return report;
  });
}

describe('a record', () => {
  it('of a task that is at work has no data yet', async () => {
    stage.fault({ on: 'task', fault: { kind: 'hang' } });
    const report = await get(await stage.buy());
    expect(report).toMatchObject({ kind: 'record', data: null, code: null, message: null });
    expect(report).toHaveProperty('status', expect.stringMatching(/IN_QUEUE|IN_PROGRESS/));
  });

  it('of a completed task has its data, untouched, and what it cost', async () => {
    expect(await settled(await stage.buy())).toMatchObject({
      kind: 'record',
      status: 'COMPLETED',
      data: { type: 'image', images: [{ url: expect.stringContaining('/files/') }] },
      usage: { total: 8 },
      code: null,
    });
  });

  it('of a failed task has the code and the message of the API', async () => {
    stage.fault({ on: 'task', fault: { kind: 'fail', code: 'CONTENT_REJECTED', message: 'not this' } });
    expect(await settled(await stage.buy())).toMatchObject({
      status: 'FAILED',
      data: null,
      code: 'IMAGE_GENERATION_CONTENT_REJECTED',
      message: 'not this',
    });
  });

  it('of a canceled task says so', async () => {
    stage.fault({ on: 'task', fault: { kind: 'cancel' } });
    expect(await settled(await stage.buy())).toMatchObject({ status: 'CANCELED', data: null });
  });

  it('tells, where it is asked to, whether the task is of the request that was sent', async () => {
    const taskId = await stage.buy({ prompt: 'a red fox', n: 2 });
    const sent = (input: Record<string, unknown>) =>
      get(taskId, { sent: { model: 'image-l', inputs: [fieldDigests(input)] } });
    expect(await sent({ prompt: 'a red fox' })).toMatchObject({ isAsSent: true });
    expect(await sent({ prompt: 'a red fox', n: 2 })).toMatchObject({ isAsSent: true });
    expect(await sent({ prompt: 'a blue fox' })).toMatchObject({ isAsSent: false });
    expect(await sent({ prompt: 'a red fox', n: 3 })).toMatchObject({ isAsSent: false });
    const inputs = ['a blue fox', 'a red fox'].map((prompt) => fieldDigests({ prompt }));
    expect(await get(taskId, { sent: { model: 'image-l', inputs } })).toMatchObject({ isAsSent: true });
  });
});

describe('a task that may be somebody else’s', () => {
  const inputs = [fieldDigests({ prompt: 'asked for by two' })];
  const ask = (taskId: string, over: Partial<TaskRequest> = {}) =>
    get(taskId, { holder: true, sent: { model: 'image-l', inputs }, ...over });
  const nameOf = (taskId: string) => stage.client.workflow.getHandle(takenTaskId(taskId));

  it('is nobody’s by being asked for, and its name is no holder', async () => {
    const taskId = await stage.buy({ prompt: 'asked for by two' });
    expect(await ask(taskId)).toMatchObject({ kind: 'record', isAsSent: true });
    await expect(nameOf(taskId).describe()).rejects.toThrow(/not found/);
    const workflowId = takenTaskId(taskId);
    const name = await stage.client.workflow.start('takenTask', { workflowId, taskQueue: 'elsewhere' });
    expect(await ask(taskId)).not.toHaveProperty('heldBy');
    await name.terminate();
  });
});

describe('an answer that says nothing of the task', () => {
  it('is no answer 404 of the API about it: that one is told apart', async () => {
    expect(await get('no-such-task')).toEqual({ kind: 'not-found' });
    stage.fault({ on: 'get', times: 1, fault: { kind: 'html', status: 404 } });
    expect(await get('no-such-task')).toMatchObject({ kind: 'unavailable', code: 'HTTP_404' });
  });

  it.each<[string, Extract<FaultRuleInput, { on: 'get' }>['fault'], string]>([
    ['an error page', { kind: 'html', status: 502 }, 'HTTP_502'],
    ['a refusal', { kind: 'error', code: 'FORBIDDEN' }, 'FORBIDDEN'],
    ['no answer at all', { kind: 'reset' }, 'NETWORK'],
    ['half an answer', { kind: 'truncated' }, 'NETWORK'],
    ['an answer that is no record', { kind: 'garbled' }, 'UNREADABLE'],
  ])('%s: is a report, too, and the next GET reads the record', async (_, fault, code) => {
    const taskId = await stage.buy();
    stage.fault({ on: 'get', times: 1, fault });
    expect(await get(taskId)).toMatchObject({ kind: 'unavailable', code, reason: expect.any(String) });
    expect(await get(taskId)).toMatchObject({ kind: 'record' });
  });

  it('hands on how long the API wants to be left alone', async () => {
    stage.fault({ on: 'get', fault: { kind: 'error', code: 'RATE_LIMITED', retryAfter: 7 } });
    expect(await get(await stage.buy())).toMatchObject({ kind: 'unavailable', retryAfter: 7_000 });
  });

  it('comes of a key that the API does not take, and of a workspace without one', async () => {
    const taskId = await stage.buy();
    const refused = await get(taskId, { workspace: LOCKED_OUT });
    expect(refused).toMatchObject({ kind: 'unavailable', code: 'UNAUTHORIZED' });
    const unknown = await get(taskId, { workspace: 'elsewhere' });
    expect(unknown).toMatchObject({ kind: 'unavailable', code: 'NO_KEY' });
  });
});

it('tells who pays of the end of a task in vain, but where another workflow holds it: that one has bought it', async () => {
  const input = { prompt: 'the same of two' };
  const told: string[] = [];
  const record = { status: 'FAILED', input, usage: { total: 0, subscription: 0, permanent: 0 } };
  const toldWith = async (holder: string): Promise<string[]> => {
    const by = attempt();
    const held = { workflowId: holder === 'own' ? by.workflowId : holder };
    const deps = {
      workspaces: new Map([['default', {}]]),
      api: { getGeneration: () => Promise.resolve({ kind: 'record', record }) },
      models: {},
      normalized: { shapeOf: () => ({ takes: { open: true } }) },
      payers: { ended: ({ taskId }: { taskId: string }) => told.push(taskId) },
      temporal: {
        withDeadline: (_: number, read: () => unknown) => read(),
        workflow: {
          list: () => [held],
          getHandle: () => ({ fetchHistory: () => Promise.resolve({ events: [] }) }),
        },
      },
    } as unknown as Parameters<typeof getTask>[0];
    const sent = { model: 'image-l', inputs: [fieldDigests(input)] };
    const about: TaskRequest = {
      taskId: `held by ${holder}`,
      workspace: 'default',
      holder: true,
      sent,
      paidBy: [],
    };
    await run(by, (request: TaskRequest) => getTask(deps, request), about);
    return told;
  };
  await toldWith('generation/twin');
  const own = await toldWith('own');
  await eventually(() => expect(own).toEqual(['held by own']));
});
