import { randomUUID } from 'node:crypto';
import proto from '@temporalio/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRecord } from '../../../src/api/json/is-record.ts';
import { NO_USAGE } from '../../../src/api/records/usage.ts';
import type { FailureDetails, Progress } from '../../../src/contract/generation.ts';
import { CLOCK_TOLERANCE } from '../../../src/contract/limits.ts';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import { decode } from '../../../src/temporal/history.ts';
import { resetRun as resetTo } from '../../../src/temporal/reset-run.ts';
import { noticeOf } from '../../../src/temporal/unclaimed-tasks.ts';
import { runsOf } from '../../../src/temporal/visibility-query.ts';
import { resetHere, resetPoints, resetRun } from '../../reset-run.ts';
import { eventually, FAST, type Generation, image, openWorld, WEBHOOK_ONLY, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const { PENDING_ACTIVITY_STATE_STARTED: STARTED } = proto.temporal.api.enums.v1.PendingActivityState;
const ASK = { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } };

/** Resets a run to its first workflow task, or to its last. */
const FIRST = 0;
const LAST = 1;

async function reset({ workflowId }: Generation, point = FIRST): Promise<Generation> {
  await resetRun(world.client, workflowId, point);
  return world.client.workflow.getHandle(workflowId);
}

/** When a run's submit began whose answer got lost, as the run was told. */
async function submittedAt(handle: Generation): Promise<number> {
  const { events } = await handle.fetchHistory();
  const told = (events ?? []).flatMap(({ activityTaskCompletedEventAttributes: completed }) =>
    decode(completed?.result),
  );
  const unknown = told.find((result) => isRecord(result) && result['kind'] === 'unknown');
  return (unknown as { since: number }).since; // a SubmitTaskResult
}

describe.concurrent('a Reset', () => {
  it('of a completed run to any of its points, one after the other, buys nothing', async () => {
    const fault = { kind: 'fail', code: 'TIMEOUT' } as const;
    world.fault({ on: 'task', match: { promptIncludes: 'reset completed' }, times: 1, fault });
    const handle = await world.start(image('reset completed'));
    const { taskId } = await handle.result();
    const { runId } = await handle.describe();
    const { length } = await resetPoints(world.client, handle.workflowId, runId);
    expect(length).toBeGreaterThanOrEqual(4);
    for (let index = 0; index < length; index += 1) {
      await resetRun(world.client, handle.workflowId, (index + 0.5) / length, runId);
      const after: Generation = world.client.workflow.getHandle(handle.workflowId);
      expect((await after.result()).taskId).toBe(taskId);
    }
    expect(world.bought(handle)).toEqual([expect.any(String), taskId]);
  });

  it.each(['plain', `it's "so" \\`])(
    'of one run twice finds what the first Reset bought: %s',
    async (name) => {
      const prompt = `reset twice ${name}`;
      const fault = { kind: 'fail', code: 'INVALID_INPUT' } as const;
      world.fault({ on: 'task', match: { promptIncludes: prompt }, times: 1, fault });
      const handle = await world.start(image(prompt), `generation/${randomUUID()} ${name}`);
      await world.failureOf(handle);
      const { runId } = await handle.describe();
      const again = async (): Promise<string> => {
        await resetRun(world.client, handle.workflowId, FIRST, runId);
        const after: Generation = world.client.workflow.getHandle(handle.workflowId);
        return (await after.result()).taskId;
      };
      const bought = await again();
      expect(await again()).toBe(bought);
      expect(world.bought(handle)).toEqual([expect.any(String), bought]);
    },
  );

  it('of a run that stores its files stores them once more, and buys nothing', async () => {
    const fault = { kind: 'expired' } as const;
    world.fault({ on: 'file', id: 'not there', match: { promptIncludes: 'reset storing' }, fault });
    const handle = await world.start(image('reset storing'));
    await world.until(handle, 'storing');
    const again = await reset(handle, LAST);
    await world.until(again, 'storing');
    world.emulator.service().faults.remove('not there');
    const { outputs, taskId } = await (await reset(again)).result();
    expect(outputs).toMatchObject([{ stored: { bytes: expect.any(Number) } }]);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('of a run that waits, and another Reset of that, buy nothing', async () => {
    const release = world.hold('reset waiting');
    const handle = await world.start(image('reset waiting', WEBHOOK_ONLY));
    await world.until(handle, 'waiting');
    const second = await reset(handle);
    await world.until(second, 'waiting');
    const third = await reset(second);
    await world.until(third, 'waiting');
    release();
    const result = await third.result();
    expect(result.attempts).toMatchObject([{ adopted: true, outcome: 'completed', settledBy: 'webhook' }]);
    expect(world.bought(handle)).toEqual([result.taskId]);
  });

  it('of a run that submits adopts the task of the POST in flight', async () => {
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'reset posting' },
      times: 1,
      fault: { kind: 'slow', ms: 1_000 },
    });
    const handle = await world.start(image('reset posting'));
    await eventually(() => expect(world.bought(handle)).toHaveLength(1));
    const result = await (await reset(handle)).result();
    expect(world.bought(handle)).toEqual([result.taskId]);
    expect(result.attempts).toMatchObject([{ adopted: true }]);
  });

  it('of a run that submits, to a workflow task that came meanwhile, adopts the task of the POST in flight', async () => {
    const prompt = 'reset asked while posting';
    const fault = { kind: 'slow', ms: 1_500 } as const;
    world.fault({ on: 'submit', match: { promptIncludes: prompt }, times: 1, fault });
    const handle = await world.start(image(prompt));
    await eventually(() => expect(world.bought(handle)).toHaveLength(1));
    expect(await handle.executeUpdate('checkNow')).toMatchObject({ state: 'submitting' });
    const result = await (await reset(handle, LAST)).result();
    expect(world.bought(handle)).toEqual([result.taskId]);
    expect(result.attempts).toMatchObject([{ adopted: true }]);
  });

  it('of a run that reconciles, to after its claim, adopts the task that is found later', async () => {
    const prompt = 'reset reconciling';
    world.loseAnswer(prompt);
    const release = world.hold(prompt);
    const handle = await world.start(
      image(prompt, { ...FAST, reconcile: { wait: '60s', otherwise: 'fail' } }),
    );
    await world.until(handle, 'reconciling');
    const claimed = async (): Promise<void> => {
      const { events = [] } = await handle.fetchHistory();
      const submitted = events?.findIndex((event) => event.activityTaskCompletedEventAttributes) ?? -1;
      expect(events?.slice(submitted).some((event) => event.markerRecordedEventAttributes)).toBe(true);
    };
    await eventually(claimed);
    // A workflow task after that of the claim: the run that goes on from here puts none in.
    expect(await handle.executeUpdate('checkNow')).toMatchObject({ state: 'reconciling' });
    const again = await reset(handle, LAST);
    release();
    const result = await again.result();
    expect(result.attempts).toMatchObject([{ outcome: 'completed', adopted: true }]);
    expect(world.bought(handle)).toEqual([result.taskId]);
  });

  it.each([
    ['first', FIRST],
    ['last', LAST],
  ] as const)('of a run that claimed its task to its %s point buys nothing', async (name, to) => {
    const prompt = `reset claimed ${name}`;
    world.loseAnswer(prompt);
    const handle = await world.start(image(prompt));
    const before = await handle.result();
    const after = await (await reset(handle, to)).result();
    expect(after.taskId).toBe(before.taskId);
    expect(world.bought(handle)).toEqual([before.taskId]);
  });

  it('of an overdue run adopts the task that has finished since', async () => {
    const release = world.hold('reset overdue');
    const handle = await world.start(image('reset overdue', { ...FAST, deadline: '300ms' }));
    expect((await world.failureOf<FailureDetails>(handle)).type).toBe('TASK_OVERDUE');
    const [taskId] = world.bought(handle);
    release();
    await eventually(() =>
      expect(world.emulator.service().tasks.get(taskId ?? '')?.status).toBe('COMPLETED'),
    );
    expect((await (await reset(handle)).result()).taskId).toBe(taskId);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('adopts a task that the API does not know for a moment', async () => {
    const handle = await world.start(image('reset unknown'));
    const { taskId } = await handle.result();
    const fault = { kind: 'error', code: 'PREDICTION_NOT_FOUND' } as const;
    world.fault({ on: 'get', match: { promptIncludes: 'reset unknown' }, times: 1, fault });
    expect((await (await reset(handle)).result()).taskId).toBe(taskId);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('waits for a task whose record cannot be read as for one that it holds: by the deadline it is overdue', async () => {
    const prompt = 'reset unread';
    const policy = { ...FAST, deadline: '1s', vanished: { wait: '100ms' } };
    const handle = await world.start(image(prompt, policy));
    const { taskId } = await handle.result();
    const fault = { kind: 'error', status: 401, code: 'UNAUTHORIZED' } as const;
    world.fault({ on: 'get', match: { promptIncludes: prompt }, fault });
    const again = await reset(handle);
    const failed = await world.failureOf<FailureDetails>(again);
    expect(failed.type).toBe('TASK_OVERDUE');
    expect(failed.message).toContain('its record could not be read since');
    expect(failed.message).toContain(taskId);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it.each(['fail', 'ask'] as const)('buys none for one that the API has forgotten: %s', async (otherwise) => {
    const prompt = `reset forgotten: ${otherwise}`;
    const release = world.hold(prompt);
    const handle = await world.start(image(prompt, { ...FAST, reconcile: { wait: '30s', otherwise } }));
    await eventually(() => expect(world.bought(handle)).toHaveLength(1));
    await world.until(handle, 'waiting');
    const fault = { kind: 'error', code: 'PREDICTION_NOT_FOUND' } as const;
    world.fault({ on: 'get', id: prompt, match: { promptIncludes: prompt }, fault });
    await handle.terminate();
    const again = await reset(handle);
    const isOver = otherwise === 'fail';
    const told = isOver
      ? (await world.failureOf(again)).type
      : (await world.until(again, 'needs a decision')).state;
    expect(told).toBe(isOver ? 'TASK_VANISHED' : 'needs a decision');
    world.emulator.service().faults.remove(prompt);
    release();
    const second = isOver ? await reset(handle) : again;
    const { taskId } = await second.result();
    // What one run has given up, and a later one has taken over, is of use.
    world.fault({ on: 'get', match: { promptIncludes: prompt }, times: 1, fault });
    expect((await (await reset(handle)).result()).taskId).toBe(taskId);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('of a run that was Reset before knows what the run between has bought, though the API has forgotten it', async () => {
    const prompt = 'bought between two Resets';
    const match = { promptIncludes: prompt };
    world.fault({ on: 'task', match, times: 1, fault: { kind: 'fail', code: 'INVALID_INPUT' } });
    const handle = await world.start(
      image(prompt, { ...FAST, reconcile: { wait: '30s', otherwise: 'ask' } }),
    );
    const { runId } = await handle.describe();
    await world.failureOf(handle);
    const release = world.hold(prompt);
    await world.until(await reset(handle), 'waiting');
    world.fault({ on: 'get', id: prompt, match, fault: { kind: 'error', code: 'PREDICTION_NOT_FOUND' } });
    await resetRun(world.client, handle.workflowId, FIRST, runId);
    const again: Generation = world.client.workflow.getHandle(handle.workflowId);
    await world.until(again, 'needs a decision');
    world.emulator.service().faults.remove(prompt);
    release();
    const { taskId } = await again.result();
    expect(world.bought(handle)).toEqual([expect.any(String), taskId]);
  });

  it('of a completed run repeats its result where the API has forgotten the task', async () => {
    const prompt = 'completed, and forgotten';
    const handle = await world.start(image(prompt));
    const result = await handle.result();
    const fault = { kind: 'error', code: 'PREDICTION_NOT_FOUND' } as const;
    world.fault({ on: 'get', match: { promptIncludes: prompt }, fault });
    for (let times = 0; times < 2; times += 1)
      expect(await (await reset(handle)).result()).toEqual({ ...result, charged: NO_USAGE });
    expect(world.bought(handle)).toEqual([result.taskId]);
  });

  it('of a run whose task has vanished buys it again', async () => {
    const match = { promptIncludes: 'reset vanished' };
    world.fault({ on: 'task', match, times: 1, fault: { kind: 'vanish' } });
    const handle = await world.start(image('reset vanished'));
    expect((await world.failureOf<FailureDetails>(handle)).type).toBe('TASK_VANISHED');
    const result = await (await reset(handle)).result();
    expect(world.bought(handle)).toEqual([expect.any(String), result.taskId]);
  });

  it('of a failed run buys the failed task again, because that is what the person wants', async () => {
    world.fault({
      on: 'task',
      match: { promptIncludes: 'reset failed' },
      times: 1,
      fault: { kind: 'fail', code: 'INVALID_INPUT' },
    });
    const handle = await world.start(image('reset failed'));
    await world.failureOf(handle);
    const result = await (await reset(handle)).result();
    expect(world.bought(handle)).toEqual([expect.any(String), result.taskId]);
  });

  it('of a cancelled run adopts its task', async () => {
    const release = world.hold('reset cancelled');
    const handle = await world.start(image('reset cancelled', WEBHOOK_ONLY));
    await world.until(handle, 'waiting');
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow('Workflow execution cancelled');
    const again = await reset(handle);
    release();
    const result = await again.result();
    expect(world.bought(handle)).toEqual([result.taskId]);
  });

  it('of a run that was cancelled while it looked, to the task after its submit, looks on and takes what it finds', async () => {
    const prompt = 'reset cancelled search';
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const policy = { ...FAST, reconcile: { wait: '30s', otherwise: 'resubmit' } };
    const handle = await world.start(image(prompt, policy));
    await world.until(handle, 'reconciling');
    const [taskId = ''] = world.bought(handle);
    // It answers a query while the task is under way: that would end after the request to cancel.
    const after = await eventually(async () => {
      const { events = [] } = await handle.fetchHistory();
      const submitted = events?.findIndex((event) => event.activityTaskCompletedEventAttributes) ?? -1;
      const task = events?.slice(submitted).find((event) => event.workflowTaskCompletedEventAttributes);
      if (submitted < 0 || task?.eventId == null) throw new Error('no workflow task after the submit');
      return task.eventId;
    });
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow('Workflow execution cancelled');
    const { runId } = await handle.describe();
    await resetTo(world.client, { workflowId: handle.workflowId, runId }, after, 'a test');
    const again: Generation = world.client.workflow.getHandle(handle.workflowId);
    await world.until(again, 'reconciling');
    await world.tellOfCreation(taskId, { prompt });
    expect((await again.result()).attempts).toMatchObject([{ taskId, outcome: 'completed', adopted: true }]);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('to where a person was asked takes over the task that the run has got since', async () => {
    const prompt = 'asked, and bought since';
    world.fault({
      on: 'submit',
      match: { promptIncludes: prompt },
      times: 1,
      fault: { kind: 'lost-before' },
    });
    world.loseWebhooks(prompt);
    const handle = await world.start(image(prompt, ASK));
    await world.until(handle, 'needs a decision');
    const { runId } = await handle.describe();
    // Before the question: further on, only what people send tells the new run anything.
    const asked = (await handle.fetchHistory()).events
      ?.map((event) => event.upsertWorkflowSearchAttributesEventAttributes)
      .findLast((shown) => shown)?.workflowTaskCompletedEventId;
    await handle.executeUpdate('decide', { args: [{ action: 'resubmit' }] });
    const { taskId } = await handle.result();
    if (!asked) throw new Error('it has asked without a workflow task');
    await resetTo(world.client, { workflowId: handle.workflowId, runId }, asked, 'a test');
    const latest: Generation = world.client.workflow.getHandle(handle.workflowId);
    const { attempts } = await latest.result();
    expect(attempts.at(-1)).toMatchObject({ taskId, outcome: 'completed', adopted: true });
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('of a run that asks takes over what it has got since, before it obeys what was decided', async () => {
    const prompt = 'asked, decided, bought since';
    const fault = { kind: 'lost-before' } as const;
    world.fault({ on: 'submit', match: { promptIncludes: prompt }, times: 1, fault });
    world.loseWebhooks(prompt);
    const handle = await world.start(image(prompt, ASK));
    await world.until(handle, 'needs a decision');
    await handle.executeUpdate('checkNow'); // a point to Reset to at which it asks
    const { workflowId } = handle;
    const { runId } = await handle.describe();
    const point = (await resetPoints(world.client, workflowId, runId)).at(-1);
    if (point === undefined) throw new Error('there is nothing to Reset to');
    await handle.executeUpdate('decide', { args: [{ action: 'resubmit' }] });
    const { taskId } = await handle.result();
    await resetTo(world.client, { workflowId, runId }, point, 'a test');
    const latest: Generation = world.client.workflow.getHandle(workflowId);
    // Obeyed first, the decision would leave an attempt of which nobody can tell.
    expect((await latest.result()).attempts).toMatchObject([{ taskId, outcome: 'completed', adopted: true }]);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('of a run that asks about a task that has vanished takes over the one that it has got since', async () => {
    const prompt = 'vanished, and bought since';
    world.fault({ on: 'task', match: { promptIncludes: prompt }, times: 1, fault: { kind: 'vanish' } });
    world.loseWebhooks(prompt);
    const handle = await world.start(image(prompt, ASK));
    await world.until(handle, 'needs a decision');
    await handle.executeUpdate('checkNow'); // as above
    const resetToQuestion = await resetHere(world.client, handle.workflowId);
    await handle.executeUpdate('decide', { args: [{ action: 'resubmit' }] });
    const { taskId } = await handle.result();
    await resetToQuestion();
    const latest: Generation = world.client.workflow.getHandle(handle.workflowId);
    expect((await latest.result()).attempts).toMatchObject([
      { outcome: 'vanished' },
      { taskId, outcome: 'completed', adopted: true },
    ]);
    expect(world.bought(handle)).toEqual([expect.any(String), taskId]);
  });

  it('of a run that asks about a task that is there again counts it once', async () => {
    const prompt = 'vanished for a while';
    const match = { promptIncludes: prompt };
    const fault = { kind: 'error', code: 'PREDICTION_NOT_FOUND' } as const;
    world.fault({ on: 'get', id: prompt, match, fault });
    world.loseWebhooks(prompt);
    const handle = await world.start(image(prompt, ASK));
    await world.until(handle, 'needs a decision');
    await handle.executeUpdate('checkNow'); // as above
    const resetToQuestion = await resetHere(world.client, handle.workflowId);
    world.emulator.service().faults.remove(prompt);
    await resetToQuestion();
    const latest: Generation = world.client.workflow.getHandle(handle.workflowId);
    const { attempts, usage } = await latest.result();
    expect(attempts).toMatchObject([{ outcome: 'completed' }]);
    expect(world.charges(handle.workflowId).map(({ credits }) => credits)).toEqual([usage.total]);
  });

  it('of an undecided run asks again, and after the decision buys once', async () => {
    world.loseAnswer('reset undecided');
    world.loseWebhooks('reset undecided');
    const handle = await world.start(image('reset undecided', ASK));
    await world.until(handle, 'needs a decision');
    const again = await reset(handle);
    await world.until(again, 'needs a decision');
    expect(world.bought(handle)).toHaveLength(1);
    await again.executeUpdate('decide', { args: [{ action: 'resubmit' }] });
    expect((await again.result()).attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'completed']);
    expect(world.bought(handle)).toHaveLength(2);
  });

  it('while the API takes longer to accept than the wait still finds what it accepts', async () => {
    const prompt = 'reset while accepting';
    const fault = { kind: 'slow', ms: 3_000, when: 'before' } as const;
    world.fault({ on: 'submit', match: { promptIncludes: prompt }, times: 1, fault });
    const submit = { timeout: '15s', heartbeat: '20s' };
    const policy = { ...FAST, submit, reconcile: { wait: '100ms', otherwise: 'resubmit' } };
    const handle = await world.start(image(prompt, policy));
    await eventually(async () => {
      const { pendingActivities } = (await handle.describe()).raw;
      expect(pendingActivities?.map(({ state }) => state)).toEqual([STARTED]);
    });
    const again = await reset(handle);
    const { taskId, attempts } = await again.result();
    expect(attempts).toMatchObject([{ taskId, adopted: true, outcome: 'completed' }]);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('of an undecided run keeps its claim: the task that shows up then is adopted without a person', async () => {
    const prompt = 'reset while asking';
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const handle = await world.start(image(prompt, ASK));
    await world.until(handle, 'needs a decision');
    const [taskId = ''] = world.bought(handle);
    const again = await reset(handle, LAST);
    await world.until(again, 'needs a decision');
    await world.tellOfCreation(taskId, { prompt });
    expect((await again.result()).attempts).toMatchObject([{ taskId, outcome: 'completed', adopted: true }]);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('of an undecided run, and another Reset of that, still look for the task of the first submit', async () => {
    const prompt = 'reset twice while asking';
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const handle = await world.start(image(prompt, ASK));
    await world.until(handle, 'needs a decision');
    const since = await submittedAt(handle);
    const [taskId = ''] = world.bought(handle);
    let again = handle;
    for (let count = 0; count < 2; count += 1) {
      again = await reset(again, FIRST);
      await world.until(again, 'needs a decision');
    }
    // As early as the clocks may differ: of a later submit it could not be.
    const receivedAt = since - CLOCK_TOLERANCE + 1;
    const task = { taskId, webhookId: 'msg', input: { prompt }, createdAt: null, receivedAt };
    const entity = entityId('unclaimed-tasks', 'default', world.config.taskQueue);
    const notice = { tasks: [noticeOf(task, undefined)] };
    await world.client.workflow.getHandle(entity).signal('taskCreated', notice);
    expect((await again.result()).attempts).toMatchObject([{ taskId, adopted: true }]);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('is not needed after a termination: a new run adopts the earlier one’s task', async () => {
    const release = world.hold('terminated');
    const handle = await world.start(image('terminated', WEBHOOK_ONLY));
    await world.until(handle, 'waiting');
    const { runId } = await handle.describe();
    await handle.terminate();
    const next = await world.start(
      { ...image('terminated', WEBHOOK_ONLY), earlierRun: runId },
      handle.workflowId,
    );
    release();
    const result = await next.result();
    expect(result.attempts).toMatchObject([{ adopted: true, outcome: 'completed' }]);
    expect(world.bought(handle)).toEqual([result.taskId]);
  });

  it('is not needed where Temporal retries a run that has timed out: the next one adopts its task', async () => {
    const release = world.hold('timed out run');
    const { taskQueue } = world.config;
    const handle: Generation = await world.client.workflow.start('generation', {
      workflowId: `generation/${randomUUID()}`,
      taskQueue,
      args: [image('timed out run', WEBHOOK_ONLY)],
      workflowRunTimeout: '3s',
      retry: { initialInterval: '10ms' },
    });
    const latest: Generation = world.client.workflow.getHandle(handle.workflowId);
    await eventually(async () => expect((await latest.query<Progress>('progress')).taskId).not.toBeNull());
    const { runId } = await latest.describe();
    await eventually(async () => expect((await latest.describe()).runId).not.toBe(runId));
    await world.until(latest, 'waiting');
    release();
    const result = await latest.result();
    expect(world.bought(handle)).toEqual([result.taskId]);
    expect(result.attempts).toMatchObject([{ adopted: true, outcome: 'completed' }]);
  });

  it('is not needed for what was run again twice at once: the slower one adopts what the quicker one has bought', async () => {
    const fault = { kind: 'fail', code: 'INVALID_INPUT' } as const;
    world.fault({ on: 'task', match: { promptIncludes: 'run again twice' }, times: 1, fault });
    const handle = await world.start(image('run again twice'));
    await world.failureOf(handle);
    const { runId } = await handle.describe();
    // Both were told of the run that was the latest when they looked; the slower one starts when the quicker one has ended.
    const again = async (): Promise<string> => {
      const next = await world.start({ ...image('run again twice'), earlierRun: runId }, handle.workflowId);
      return (await next.result()).taskId;
    };
    const bought = await again();
    const query = runsOf(handle.workflowId);
    await eventually(async () => expect((await world.client.workflow.count(query)).count).toBe(2));
    expect(await again()).toBe(bought);
    expect(world.bought(handle)).toEqual([expect.any(String), bought]);
  });

  it('does not take what was bought for another input under its id', async () => {
    const prompt = `first of two inputs ${randomUUID()}`;
    const fault = { kind: 'fail', code: 'INVALID_INPUT' } as const;
    world.fault({ on: 'task', match: { promptIncludes: prompt }, times: 1, fault });
    const handle = await world.start(image(prompt));
    await world.failureOf(handle);
    const { runId } = await handle.describe();
    const other = { ...image('second of two inputs'), earlierRun: runId };
    const bought = (await (await world.start(other, handle.workflowId)).result()).taskId;
    await eventually(async () =>
      expect((await world.client.workflow.count(runsOf(handle.workflowId))).count).toBe(2),
    );
    await resetRun(world.client, handle.workflowId, FIRST, runId);
    const after: Generation = world.client.workflow.getHandle(handle.workflowId);
    const { taskId } = await after.result();
    expect(taskId).not.toBe(bought);
    expect(world.bought(handle)).toEqual([expect.any(String), bought, taskId]);
  });

  it('is not stopped by a run of its id that somebody has started with what cannot be read', async () => {
    const prompt = `beside what cannot be read ${randomUUID()}`;
    const fault = { kind: 'fail', code: 'INVALID_INPUT' } as const;
    world.fault({ on: 'task', match: { promptIncludes: prompt }, times: 2, fault });
    const handle = await world.start(image(prompt));
    await world.failureOf(handle);
    const { workflowId } = handle;
    const { runId: earlierRun, taskQueue } = await handle.describe();
    const startWith = async (origins: unknown): Promise<Generation> =>
      await world.client.workflow.start('generation', {
        workflowId,
        taskQueue,
        args: [{ ...image(prompt), earlierRun }],
        memo: { origins },
      });
    await world.failureOf(await startWith({ prompt: null }));
    await eventually(async () =>
      expect((await world.client.workflow.count(runsOf(workflowId))).count).toBe(2),
    );
    const outputs = [`${randomUUID()}#0`];
    const { taskId } = await (await startWith({ prompt: { reference: { kind: 'one' }, outputs } })).result();
    expect(world.bought(handle).at(-1)).toBe(taskId);
  });

  it('of one that was started with what cannot be read finds what its other Reset has bought', async () => {
    const prompt = `reset twice, unreadable ${randomUUID()}`;
    const fault = { kind: 'fail', code: 'INVALID_INPUT' } as const;
    world.fault({ on: 'task', match: { promptIncludes: prompt }, times: 1, fault });
    const handle: Generation = await world.client.workflow.start('generation', {
      workflowId: `generation/${randomUUID()}`,
      taskQueue: world.config.taskQueue,
      args: [image(prompt)],
      memo: { origins: { prompt: null } },
    });
    await world.failureOf(handle);
    const { runId } = await handle.describe();
    const { taskId } = await (await reset(handle)).result();
    await resetRun(world.client, handle.workflowId, FIRST, runId);
    const after: Generation = world.client.workflow.getHandle(handle.workflowId);
    expect((await after.result()).taskId).toBe(taskId);
    expect(world.bought(handle)).toEqual([expect.any(String), taskId]);
  });

  it('buys nothing where it is only to adopt, and fails with the reason that it was given', async () => {
    const why = { type: 'OUTPUT_UNAVAILABLE', message: 'its input is gone' } as const;
    world.fault({
      on: 'task',
      match: { promptIncludes: 'only adopted' },
      times: 1,
      fault: { kind: 'fail', code: 'FAILED' },
    });
    const policy = { ...FAST, retries: { FAILED: { resubmissions: 0 } } };
    const handle = await world.start(image('only adopted', policy));
    expect(await world.failureOf(handle)).toMatchObject({ type: 'IMAGE_GENERATION_FAILED' });
    const { runId } = await handle.describe();
    const only = { ...image('only adopted', policy), earlierRun: runId, adoptOnly: why };
    expect(await world.failureOf(await world.start(only, handle.workflowId))).toMatchObject(why);
    expect(world.bought(handle)).toHaveLength(1);
  });

  it('is asked for in vain when the named earlier run is not there: nothing is bought on a mistyped id', async () => {
    const handle = await world.start({ ...image('mistyped'), earlierRun: randomUUID() });
    const { type, details } = await world.failureOf<FailureDetails>(handle);
    expect(type).toBe('INVALID_REQUEST');
    expect(details.errors?.map(({ path }) => path)).toEqual(['earlierRun']);
    expect(world.bought(handle)).toEqual([]);
  });
});
