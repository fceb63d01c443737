import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FaultRuleInput } from '../../../emulator/src/faults/rule.ts';
import type { LookRequest, TaskLook } from '../../../src/contract/tasks/task-look.ts';
import { eventually } from '../../eventually.ts';
import {
  type ActivityStage,
  attempt,
  LOCKED_OUT,
  openActivityStage,
  run,
  SLOWED,
} from '../activity-stage.ts';

let stage: ActivityStage;
beforeAll(async () => {
  stage = await openActivityStage();
});
afterAll(() => stage.close());
beforeEach(() => stage.emulator.service().reset());

function look(
  taskId: string,
  request: Partial<LookRequest> = {},
  { isLocal = request.storeWithin !== undefined } = {},
): Promise<TaskLook> {
  const by = attempt(undefined, undefined, isLocal);
  return run(by, stage.activities.lookAtTask, {
    taskId,
    workspace: 'default',
    model: 'image-l',
    firstRunId: by.runId,
    timeout: 5_000,
    ...request,
  });
}

/** Buys a task and waits for its end at the API. */
async function buyEnded(): Promise<string> {
  const taskId = await stage.buy();
  await eventually(() => {
    const { status } = stage.emulator.service().tasks.get(taskId) ?? {};
    expect(status).toMatch(/COMPLETED|FAILED|CANCELED/);
  });
  return taskId;
}

describe('a look at a task', () => {
  it('that is at work tells what it costs so far', async () => {
    stage.fault({ on: 'task', fault: { kind: 'hang' } });
    expect(await look(await stage.buy())).toMatchObject({ kind: 'open', usage: { total: 8 } });
  });

  it('that is completed has its files stored on the way, and again finds them there', async () => {
    const taskId = await buyEnded();
    const first = await look(taskId);
    expect(first).toMatchObject({
      kind: 'completed',
      usage: { total: 8 },
      files: {
        kind: 'stored',
        data: { type: 'image' },
        outputs: [{ contentType: 'image/png', stored: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } }],
      },
    });
    expect(await look(taskId)).toMatchObject({ files: { kind: 'stored', outputs: [{}] } });
  });

  it.each<[Extract<FaultRuleInput, { on: 'task' }>['fault'], object]>([
    [
      { kind: 'fail', code: 'FAILED', message: 'no' },
      { status: 'FAILED', code: 'IMAGE_GENERATION_FAILED', message: 'no' },
    ],
    [{ kind: 'cancel' }, { status: 'CANCELED', code: null, message: null }],
  ])('that ended by %j tells how', async (fault, end) => {
    stage.fault({ on: 'task', fault });
    expect(await look(await buyEnded())).toMatchObject({ kind: 'ended', ...end });
  });

  it.each<[string, Extract<FaultRuleInput, { on: 'get' }>['fault'], object]>([
    ['an error page', { kind: 'html', status: 502 }, { code: 'HTTP_502' }],
    ['a refusal', { kind: 'error', code: 'FORBIDDEN' }, { code: 'FORBIDDEN' }],
    ['no answer at all', { kind: 'reset' }, { code: 'NETWORK' }],
    ['an answer that is no record', { kind: 'garbled' }, { code: 'UNREADABLE' }],
    ['a call to wait', { kind: 'error', code: 'RATE_LIMITED', retryAfter: 7 }, { retryAfter: 7_000 }],
  ])('that gets %s is a report, too, and the next one sees the task', async (_, fault, report) => {
    const taskId = await buyEnded();
    stage.fault({ on: 'get', times: 1, fault });
    expect(await look(taskId)).toMatchObject({ kind: 'unavailable', ...report });
    expect(await look(taskId)).toMatchObject({ kind: 'completed' });
  });

  it('that the API does not know is told apart from one that cannot be read', async () => {
    // In a workspace of its own: whether all its tasks are gone goes by what was looked at before.
    expect(await look('no-such-task', { workspace: SLOWED })).toEqual({ kind: 'not-found' });
  });

  it('with a key that the API does not take, or without one, tells nothing of the task, and people are told', async () => {
    const taskId = await buyEnded();
    const refused = await look(taskId, { workspace: LOCKED_OUT });
    expect(refused).toMatchObject({ kind: 'unavailable', code: 'UNAUTHORIZED' });
    const unknown = await look(taskId, { workspace: 'elsewhere' });
    expect(unknown).toMatchObject({ kind: 'unavailable', code: 'NO_KEY' });
    const told = `reading tasks from the API fails (workspace ${LOCKED_OUT})`;
    expect(stage.warnings.filter((line) => line.startsWith(told))).toHaveLength(1);
  });
});

describe('the files of a completed task', () => {
  it('that are not there yet are told of, and stored by a later look', async () => {
    const taskId = await buyEnded();
    stage.fault({ on: 'file', times: 1, fault: { kind: 'expired', status: 404 } });
    expect(await look(taskId)).toMatchObject({ kind: 'completed', files: { kind: 'delayed' } });
    expect(await look(taskId)).toMatchObject({ files: { kind: 'stored' } });
  });

  it('that take longer than a short look may are left to a long one', async () => {
    const taskId = await buyEnded();
    stage.fault({ on: 'file', fault: { kind: 'slow', ms: 600 } });
    expect(await look(taskId, { storeWithin: 100 })).toMatchObject({
      files: { kind: 'delayed', reason: 'it takes longer' },
    });
    expect(await look(taskId)).toMatchObject({ files: { kind: 'stored' } });
  });

  it('are not touched by a look that is for the record alone', async () => {
    const taskId = await buyEnded();
    stage.fault({ on: 'file', fault: { kind: 'expired', status: 410 } });
    expect(await look(taskId, { storeWithin: 0 })).toMatchObject({
      kind: 'completed',
      files: { kind: 'delayed', url: null },
    });
    expect(await look(taskId)).toMatchObject({ files: { kind: 'gone' } });
  });

  it('are not touched by a short look that is tried again as an ordinary activity: nobody would count the workers that they end', async () => {
    const taskId = await buyEnded();
    expect(await look(taskId, { storeWithin: 2_000 }, { isLocal: false })).toMatchObject({
      files: { kind: 'delayed', url: null },
    });
    expect(await look(taskId, { storeWithin: 2_000 })).toMatchObject({ files: { kind: 'stored' } });
  });
});
