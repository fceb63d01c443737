import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FaultRuleInput } from '../../../emulator/src/faults/rule.ts';
import { judgeTask } from '../../../src/activities/generation/judge-task.ts';
import { fieldDigests } from '../../../src/api/input/field-digests.ts';
import type { Judgement, TaskToJudge } from '../../../src/contract/tasks/task-look.ts';
import { takenTaskId } from '../../../src/contract/workflow-ids.ts';
import { eventually } from '../../eventually.ts';
import { type ActivityStage, attempt, LOCKED_OUT, openActivityStage, run } from '../activity-stage.ts';

let stage: ActivityStage;
beforeAll(async () => {
  stage = await openActivityStage();
});
afterAll(() => stage.close());
beforeEach(() => stage.emulator.service().reset());

const FOX = { prompt: 'a red fox' };
const sent = (...inputs: Record<string, unknown>[]) => ({
  model: 'image-l',
  inputs: inputs.map((input) => fieldDigests(input)),
});

function judge(taskId: string, more: Partial<TaskToJudge> = {}): Promise<Judgement> {
  const task = { taskId, workspace: 'default', sent: sent(FOX), ...more };
  return run(attempt(), stage.activities.judgeTask, task);
}

describe('a task is of use', () => {
  it('while it is at work, and once it has completed', async () => {
    stage.fault({ on: 'task', times: 1, fault: { kind: 'hang' } });
    expect(await judge(await stage.buy())).toMatchObject({ kind: 'of use' });
    const taskId = await stage.buy();
    await eventually(async () =>
      expect(await judge(taskId)).toMatchObject({ kind: 'of use', usage: { total: 8 } }),
    );
  });

  it.each(['fail', 'cancel'] as const)('no more where it has ended in vain: %s', async (kind) => {
    const fault = kind === 'fail' ? ({ kind, code: 'FAILED' } as const) : ({ kind } as const);
    stage.fault({ on: 'task', fault });
    const taskId = await stage.buy();
    await eventually(async () => expect(await judge(taskId)).toEqual({ kind: 'useless' }));
  });

  it('where it is of an input that was sent', async () => {
    const taskId = await stage.buy({ ...FOX, n: 2 });
    const of = (...inputs: Record<string, unknown>[]) => judge(taskId, { sent: sent(...inputs) });
    expect(await of(FOX)).toMatchObject({ kind: 'of use' });
    expect(await of({ ...FOX, n: 2 })).toMatchObject({ kind: 'of use' });
    expect(await of({ prompt: 'a blue fox' }, FOX)).toMatchObject({ kind: 'of use' });
    expect(await of({ prompt: 'a blue fox' })).toEqual({ kind: 'useless', differs: ['prompt'] });
    expect(await of({ ...FOX, n: 3 })).toEqual({ kind: 'useless', differs: ['n'] });
  });

  it('and its name is the run’s then, if it was to be taken: another run’s only for some time', async () => {
    const taskId = await stage.buy();
    const name = stage.client.workflow.getHandle(takenTaskId(taskId));
    expect(await judge(taskId)).toMatchObject({ kind: 'of use' });
    await expect(name.describe()).rejects.toThrow(/not found/);
    // It goes on for as long as the task is another's.
    const { workflowId, firstExecutionRunId } = await stage.client.workflow.start('takenTask', {
      workflowId: `generation/${taskId}`,
      taskQueue: 'elsewhere',
    });
    const other = attempt({ workflowId, runId: firstExecutionRunId, heartbeats: [] });
    const task = { taskId, workspace: 'default', sent: sent(FOX), takeFor: firstExecutionRunId };
    for (let again = 0; again < 2; again += 1)
      expect(await run(other, stage.activities.judgeTask, task)).toMatchObject({ kind: 'of use' });
    expect(await judge(taskId, { takeFor: 'mine' })).toEqual({
      kind: 'again',
      reason: expect.stringContaining(`it is kept for ${workflowId}`),
      forSome: true,
    });
    await stage.client.workflow.getHandle(workflowId).terminate();
  });

  it('although a workflow of its name has it: that one is no holder', async () => {
    const taskId = await stage.buy();
    const workflowId = takenTaskId(taskId);
    const name = await stage.client.workflow.start('takenTask', { workflowId, taskQueue: 'elsewhere' });
    expect(await judge(taskId)).toMatchObject({ kind: 'of use' });
    await name.terminate();
  });
});

describe('nobody can tell yet', () => {
  it('where the API does not know it: that is waited for some time only', async () => {
    expect(await judge('no-such-task')).toMatchObject({ kind: 'again', forSome: true });
    stage.fault({ on: 'get', times: 1, fault: { kind: 'html', status: 404 } });
    expect(await judge('no-such-task')).not.toHaveProperty('forSome');
  });

  it.each<[string, Extract<FaultRuleInput, { on: 'get' }>['fault']]>([
    ['an error page', { kind: 'html', status: 502 }],
    ['a refusal', { kind: 'error', code: 'FORBIDDEN' }],
    ['no answer at all', { kind: 'reset' }],
    ['half an answer', { kind: 'truncated' }],
    ['an answer that is no record', { kind: 'garbled' }],
  ])('by %s, and the next GET reads the record', async (_, fault) => {
    const taskId = await stage.buy();
    stage.fault({ on: 'get', times: 1, fault });
    expect(await judge(taskId)).toEqual({ kind: 'again', reason: expect.any(String) });
    expect(await judge(taskId)).toMatchObject({ kind: 'of use' });
  });

  it('by a key that the API does not take, and of a workspace without one', async () => {
    const taskId = await stage.buy();
    for (const workspace of [LOCKED_OUT, 'elsewhere'])
      expect(await judge(taskId, { workspace })).toEqual({ kind: 'again', reason: expect.any(String) });
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
    } as unknown as Parameters<typeof judgeTask>[0];
    const sent = { model: 'image-l', inputs: [fieldDigests(input)] };
    const about: TaskToJudge = {
      taskId: `held by ${holder}`,
      workspace: 'default',
      sent,
      paidBy: [],
    };
    await run(by, (task: TaskToJudge) => judgeTask(deps, task), about);
    return told;
  };
  await toldWith('generation/twin');
  const own = await toldWith('own');
  await eventually(() => expect(own).toEqual(['held by own']));
});
