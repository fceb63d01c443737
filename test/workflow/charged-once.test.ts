import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FailureDetails, GenerationResult, Progress } from '../../src/workflows/contract.ts';
import { entityId } from '../../src/workflows/names.ts';
import { resetPoints, resetRun } from '../reset-run.ts';
import { eventually, FAST, type Generation, openWorld, WEBHOOK_ONLY, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const ASK = { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } };
const RESUBMIT = { ...FAST, reconcile: { wait: '100ms', otherwise: 'resubmit' } };
const FAIL = { ...FAST, reconcile: { wait: '100ms', otherwise: 'fail' } };

const image = (prompt: string, policy: unknown = FAST) => ({ model: 'image-l', input: { prompt }, policy });

/** The answer to the first submit of that prompt gets lost after the task was made and charged. */
function loseAnswer(prompt: string, times = 1): void {
  world.fault({ on: 'submit', match: { promptIncludes: prompt }, times, fault: { kind: 'lost-after' } });
}

/** No event of that prompt is ever delivered. */
function loseWebhooks(prompt: string): void {
  world.fault({ on: 'webhook', match: { promptIncludes: prompt }, fault: { kind: 'lost' } });
}

/** A `task.created` that the receiver could not route, as it hands it over. */
async function tellOfCreation(taskId: string, input: Record<string, unknown>): Promise<void> {
  const task = { taskId, webhookId: `msg_${taskId}`, input, createdAt: null, receivedAt: Date.now() };
  await world.client.workflow.signalWithStart('unclaimedTasks', {
    workflowId: entityId('unclaimed-tasks', 'default', world.config.taskQueue),
    taskQueue: world.config.taskQueue,
    args: [{ workspace: 'default' }],
    signal: 'taskCreated',
    signalArgs: [{ task }],
  });
}

describe.concurrent('a submit whose answer got lost', () => {
  it.each([
    ['the connection closed', { kind: 'lost-after' }],
    ['the answer was cut off', { kind: 'truncated' }],
    ['the answer was garbled', { kind: 'garbled' }],
    ['the answer had no id', { kind: 'no-id' }],
    ['a gateway answered 502', { kind: 'html', status: 502, accepted: true }],
    ['the API said TIMEOUT', { kind: 'error', code: 'TIMEOUT', accepted: true }],
    ['the API said FAILED with 500', { kind: 'error', code: 'FAILED', status: 500, accepted: true }],
  ] as const)('is adopted when %s, and not paid for again', async (what, fault) => {
    const prompt = `lost: ${what}`;
    world.fault({ on: 'submit', match: { promptIncludes: prompt }, times: 1, fault: { ...fault } });
    const handle = await world.start(image(prompt));
    const { attempts, taskId } = await handle.result();
    expect(world.charges(handle.workflowId).map((charge) => charge.taskId)).toEqual([taskId]);
    expect(attempts).toMatchObject([{ taskId, outcome: 'completed', adopted: true }]);
  });

  it('in an answer that may follow success is unknown, even when it is a redirect', async () => {
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'see other' },
      times: 1,
      fault: { kind: 'redirect', status: 303 },
    });
    expect((await world.fail(image('see other', FAIL))).type).toBe('SUBMISSION_UNKNOWN');
  });

  it('slower than the submit’s time-out is adopted, too', async () => {
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'slowly' },
      times: 1,
      fault: { kind: 'slow', ms: 1_500 },
    });
    const policy = { ...FAST, submit: { timeout: '300ms', heartbeat: '2s' } };
    const handle = await world.start(image('slowly', policy));
    expect((await handle.result()).attempts).toMatchObject([{ outcome: 'completed', adopted: true }]);
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });

  it('gives each of two equal generations a task of its own', async () => {
    loseAnswer('twins', 2);
    const handles = await Promise.all([world.start(image('twins')), world.start(image('twins'))]);
    const results = await Promise.all(handles.map((handle) => handle.result()));
    const charges = handles.flatMap(({ workflowId }) => world.charges(workflowId));
    expect(new Set(results.map(({ taskId }) => taskId))).toEqual(
      new Set(charges.map(({ taskId }) => taskId)),
    );
    expect(charges).toHaveLength(2);
  });

  it('never takes the task of an equal generation whose answer is merely slow', async () => {
    const prompt = 'slow twin';
    world.fault({
      on: 'submit',
      match: { promptIncludes: prompt },
      times: 1,
      fault: { kind: 'slow', ms: 4_000 },
    });
    const slow = await world.start(image(prompt));
    await eventually(() => expect(world.charges(slow.workflowId)).toHaveLength(1));
    loseAnswer(prompt);
    const lost = await world.start(image(prompt));
    const [first, second] = await Promise.all([slow.result(), lost.result()]);
    expect(first.attempts).toMatchObject([{ adopted: false }]);
    expect(second.attempts).toMatchObject([{ adopted: true }]);
    expect(world.charges(slow.workflowId).map(({ taskId }) => taskId)).toEqual([first.taskId]);
    expect(world.charges(lost.workflowId).map(({ taskId }) => taskId)).toEqual([second.taskId]);
  });

  it('never takes a foreign task with another input', async () => {
    const foreign = await fetch(`${world.emulator.baseUrl}/generation/darkroom/image-l`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.emulator.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'foreign, but not ours' }),
    });
    expect(foreign.ok).toBe(true);
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'ours alone' },
      times: 1,
      fault: { kind: 'lost-before' },
    });
    const failure = await world.fail(
      image('ours alone', { ...FAST, reconcile: { wait: '3s', otherwise: 'fail' } }),
    );
    expect(failure.type).toBe('SUBMISSION_UNKNOWN');
    expect(failure.details.attempts).toMatchObject([{ taskId: null, outcome: 'unknown' }]);
  });

  it('is not taken for a task of before whose creation is told late', async () => {
    const prompt = 'told late';
    const fault = { kind: 'fail', code: 'TIMEOUT' } as const;
    world.fault({ on: 'task', match: { promptIncludes: prompt }, times: 1, fault });
    world.fault({ on: 'submit', match: { promptIncludes: prompt }, nth: 2, fault: { kind: 'lost-after' } });
    loseWebhooks(prompt);
    const handle = await world.start(image(prompt));
    await world.until(handle, 'reconciling');
    const bought = world.charges(handle.workflowId).map(({ taskId }) => taskId);
    expect(bought).toHaveLength(2);
    // The events of both come as one that was redelivered does: when the first task has long ended.
    for (const taskId of bought) await tellOfCreation(taskId, { prompt });
    const { attempts } = await handle.result();
    expect(attempts).toMatchObject([
      { taskId: bought[0], outcome: 'failed' },
      { taskId: bought[1], outcome: 'completed', adopted: true },
    ]);
    expect(world.charges(handle.workflowId)).toHaveLength(2);
  });

  it('is bought again without evidence only where the policy says so', async () => {
    loseAnswer('again');
    loseWebhooks('again');
    const handle = await world.start(image('again', RESUBMIT));
    expect((await handle.result()).attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'completed']);
    expect(world.charges(handle.workflowId)).toHaveLength(2);
  });

  it('is not bought on forever, whatever the policy says', async () => {
    world.fault({ on: 'submit', match: { promptIncludes: 'abyss' }, fault: { kind: 'lost-before' } });
    const failure = await world.fail(
      image('abyss', { ...RESUBMIT, reconcile: { wait: 20, otherwise: 'resubmit' } }),
    );
    expect(failure.type).toBe('SUBMISSION_UNKNOWN');
    expect(failure.details.attempts).toHaveLength(5);
  });
});

describe.concurrent('a run that needs a decision', () => {
  async function undecided(prompt: string): Promise<Generation> {
    loseAnswer(prompt);
    loseWebhooks(prompt);
    const handle = await world.start(image(prompt, ASK));
    await world.until(handle, 'needs a decision');
    return handle;
  }
  const decide = (handle: Generation, decision: unknown): Promise<Progress> =>
    handle.executeUpdate<Progress, [unknown]>('decide', { args: [decision] });

  it('is found by operators, and by nobody once it is decided', async () => {
    const handle = await undecided('find me');
    await eventually(async () => {
      const { searchAttributes } = await handle.describe();
      expect(searchAttributes['DarkroomState']).toEqual(['needs a decision']);
    });
    await decide(handle, { action: 'fail' });
    await world.failureOf(handle);
    await eventually(async () => {
      const query = `WorkflowId = '${handle.workflowId}' AND DarkroomState IS NOT NULL`;
      expect((await world.client.workflow.count(query)).count).toBe(0);
    });
  });

  it('shows the balance before and after as evidence', async () => {
    await world.generate(image('reads the balance'));
    const handle = await undecided('evidence');
    const { currentDetails } = await handle.query<{ currentDetails?: string }>(
      '__temporal_workflow_metadata',
    );
    const [, before, after] =
      /credits before: (\d+) at .*, after: (\d+) at /.exec(currentDetails ?? '') ?? [];
    expect(Number(after)).toBeLessThan(Number(before));
    await decide(handle, { action: 'fail' });
  });

  it('adopts the task that a person names', async () => {
    const handle = await undecided('named');
    const [charge] = world.charges(handle.workflowId);
    await decide(handle, { action: 'adopt', taskId: charge?.taskId });
    expect((await handle.result()).attempts).toMatchObject([
      { taskId: charge?.taskId, outcome: 'completed', adopted: true },
    ]);
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });

  it('buys again, or gives up, as a person says', async () => {
    const again = await undecided('person says again');
    await decide(again, { action: 'resubmit' });
    expect((await again.result()).attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'completed']);
    const over = await undecided('person says no');
    await decide(over, { action: 'fail' });
    expect((await world.failureOf(over)).type).toBe('SUBMISSION_UNKNOWN');
  });

  it('adopts evidence that comes late, without a person', async () => {
    const prompt = 'better late';
    loseAnswer(prompt);
    world.fault({ on: 'webhook', match: { promptIncludes: prompt }, fault: { kind: 'late', ms: 2_500 } });
    const handle = await world.start(image(prompt, ASK));
    await world.until(handle, 'needs a decision');
    expect((await handle.result()).attempts).toMatchObject([{ outcome: 'completed', adopted: true }]);
  });

  it('refuses a decision that makes no sense, and one that nobody waits for', async () => {
    const handle = await undecided('nonsense');
    await expect(decide(handle, { action: 'guess' })).rejects.toThrow(/Update failed/);
    await expect(decide(handle, { action: 'adopt' })).rejects.toThrow(/Update failed/);
    await decide(handle, { action: 'fail' });
    await world.failureOf(handle);
    const waiting = await world.start(image('undisturbed', WEBHOOK_ONLY));
    await expect(decide(waiting, { action: 'fail' })).rejects.toThrow(/Update failed/);
    expect((await waiting.result()).status).toBe('COMPLETED');
  });
});

describe.concurrent('a cancelled run', () => {
  it('stops waiting at once, and leaves the id and cost of its task on record', async () => {
    world.fault({ on: 'task', match: { promptIncludes: 'enough' }, fault: { kind: 'hang' } });
    const handle = await world.start(image('enough', WEBHOOK_ONLY));
    await world.until(handle, 'waiting');
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow('Workflow execution cancelled');
    const [charge] = world.charges(handle.workflowId);
    const { status, memo } = await handle.describe();
    expect(status.name).toBe('CANCELLED');
    expect(memo).toMatchObject({ cancelled: { taskId: charge?.taskId, usage: charge?.usage } });
  });

  it('waits for the answer of a POST in flight, so that the task is known', async () => {
    world.fault({ on: 'submit', match: { promptIncludes: 'mid-post' }, fault: { kind: 'slow', ms: 800 } });
    const handle = await world.start(image('mid-post', WEBHOOK_ONLY));
    await eventually(() => expect(world.charges(handle.workflowId)).toHaveLength(1));
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow('Workflow execution cancelled');
    const [charge] = world.charges(handle.workflowId);
    expect((await handle.describe()).memo).toMatchObject({ cancelled: { taskId: charge?.taskId } });
  });
});

/** Resets a run to its first workflow task, or to its last. */
const FIRST = 0;
const LAST = 1;

async function reset({ workflowId }: Generation, point = FIRST): Promise<Generation> {
  await resetRun(world.client, workflowId, point);
  return world.client.workflow.getHandle(workflowId);
}

describe.concurrent('a Reset', () => {
  const bought = (handle: Generation): string[] =>
    world.charges(handle.workflowId).map(({ taskId }) => taskId);

  it('of a completed run to any of its points, one after the other, buys nothing', async () => {
    const fault = { kind: 'fail', code: 'TIMEOUT' } as const;
    world.fault({ on: 'task', match: { promptIncludes: 'reset completed' }, times: 1, fault });
    const handle = await world.start(image('reset completed'));
    const { taskId } = await handle.result();
    const { runId } = await handle.describe();
    const { length } = await resetPoints(world.client, handle.workflowId, runId);
    expect(length).toBeGreaterThan(5);
    for (let index = 0; index < length; index += 1) {
      await resetRun(world.client, handle.workflowId, (index + 0.5) / length, runId);
      const after: Generation = world.client.workflow.getHandle(handle.workflowId);
      expect((await after.result()).taskId).toBe(taskId);
    }
    expect(bought(handle)).toEqual([expect.any(String), taskId]);
  });

  it('of a run that stores its files stores them once more, and buys nothing', async () => {
    const fault = { kind: 'slow', ms: 1_500 } as const;
    world.fault({ on: 'file', match: { promptIncludes: 'reset storing' }, fault });
    const handle = await world.start(image('reset storing'));
    await world.until(handle, 'storing');
    const again = await reset(handle, LAST);
    await world.until(again, 'storing');
    const { outputs, taskId } = await (await reset(again)).result();
    expect(outputs).toMatchObject([{ stored: { bytes: expect.any(Number) } }]);
    expect(bought(handle)).toEqual([taskId]);
  });

  it('of a run that waits, and another Reset of that, buy nothing', async () => {
    world.fault({
      on: 'task',
      match: { promptIncludes: 'reset waiting' },
      fault: { kind: 'slow', ms: 7_000 },
    });
    const handle = await world.start(image('reset waiting', WEBHOOK_ONLY));
    await world.until(handle, 'waiting');
    const second = await reset(handle);
    await world.until(second, 'waiting');
    const third = await reset(second);
    await world.until(third, 'waiting');
    const result = await third.result();
    expect(result.attempts).toMatchObject([{ adopted: true, outcome: 'completed', settledBy: 'webhook' }]);
    expect(bought(handle)).toEqual([result.taskId]);
  });

  it('of a run that submits adopts the task of the POST in flight', async () => {
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'reset posting' },
      times: 1,
      fault: { kind: 'slow', ms: 1_000 },
    });
    const handle = await world.start(image('reset posting'));
    await eventually(() => expect(bought(handle)).toHaveLength(1));
    const result = await (await reset(handle)).result();
    expect(bought(handle)).toEqual([result.taskId]);
    expect(result.attempts).toMatchObject([{ adopted: true }]);
  });

  it('of a run that reconciles, to after its claim, adopts the task that is found later', async () => {
    const prompt = 'reset reconciling';
    loseAnswer(prompt);
    world.fault({ on: 'webhook', match: { promptIncludes: prompt }, fault: { kind: 'late', ms: 1_500 } });
    const handle = await world.start(
      image(prompt, { ...FAST, reconcile: { wait: '5s', otherwise: 'fail' } }),
    );
    await world.until(handle, 'reconciling');
    const submitted = async (): Promise<void> => {
      const { events } = await handle.fetchHistory();
      const ended = events?.filter((event) => event.activityTaskCompletedEventAttributes).length;
      expect(ended).toBe(2); // the submit, and the claim
    };
    await eventually(submitted);
    await eventually(async () =>
      expect((await handle.query<Progress>('progress')).state).toBe('reconciling'),
    );
    const result = await (await reset(handle, LAST)).result();
    expect(result.attempts).toMatchObject([{ outcome: 'completed', adopted: true }]);
    expect(bought(handle)).toEqual([result.taskId]);
  });

  it.each([
    ['first', FIRST],
    ['last', LAST],
  ] as const)('of a run that claimed its task to its %s point buys nothing', async (name, to) => {
    const prompt = `reset claimed ${name}`;
    loseAnswer(prompt);
    const handle = await world.start(image(prompt));
    const before = await handle.result();
    const after = await (await reset(handle, to)).result();
    expect(after.taskId).toBe(before.taskId);
    expect(bought(handle)).toEqual([before.taskId]);
  });

  it('of an overdue run adopts the task that has finished since', async () => {
    world.fault({
      on: 'task',
      match: { promptIncludes: 'reset overdue' },
      fault: { kind: 'slow', ms: 4_000 },
    });
    const handle = await world.start(image('reset overdue', { ...FAST, deadline: '300ms' }));
    expect((await world.failureOf<FailureDetails>(handle)).type).toBe('TASK_OVERDUE');
    const [taskId] = bought(handle);
    await eventually(() =>
      expect(world.emulator.service().tasks.get(taskId ?? '')?.status).toBe('COMPLETED'),
    );
    expect((await (await reset(handle)).result()).taskId).toBe(taskId);
    expect(bought(handle)).toEqual([taskId]);
  });

  it('adopts a task that the API does not know for a moment', async () => {
    const handle = await world.start(image('reset unknown'));
    const { taskId } = await handle.result();
    const fault = { kind: 'error', code: 'PREDICTION_NOT_FOUND' } as const;
    world.fault({ on: 'get', match: { promptIncludes: 'reset unknown' }, times: 1, fault });
    expect((await (await reset(handle)).result()).taskId).toBe(taskId);
    expect(bought(handle)).toEqual([taskId]);
  });

  it('of a run whose task has vanished buys it again', async () => {
    const match = { promptIncludes: 'reset vanished' };
    world.fault({ on: 'task', match, times: 1, fault: { kind: 'vanish' } });
    const handle = await world.start(image('reset vanished'));
    expect((await world.failureOf<FailureDetails>(handle)).type).toBe('TASK_VANISHED');
    const result = await (await reset(handle)).result();
    expect(bought(handle)).toEqual([expect.any(String), result.taskId]);
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
    expect(bought(handle)).toEqual([expect.any(String), result.taskId]);
  });

  it('of a cancelled run adopts its task', async () => {
    world.fault({
      on: 'task',
      match: { promptIncludes: 'reset cancelled' },
      fault: { kind: 'slow', ms: 1_500 },
    });
    const handle = await world.start(image('reset cancelled', WEBHOOK_ONLY));
    await world.until(handle, 'waiting');
    await handle.cancel();
    await expect(handle.result()).rejects.toThrow('Workflow execution cancelled');
    const result = await (await reset(handle)).result();
    expect(bought(handle)).toEqual([result.taskId]);
  });

  it('of an undecided run asks again, and after the decision buys once', async () => {
    loseAnswer('reset undecided');
    loseWebhooks('reset undecided');
    const handle = await world.start(image('reset undecided', ASK));
    await world.until(handle, 'needs a decision');
    const again = await reset(handle);
    await world.until(again, 'needs a decision');
    expect(bought(handle)).toHaveLength(1);
    await again.executeUpdate('decide', { args: [{ action: 'resubmit' }] });
    expect((await again.result()).attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'completed']);
    expect(bought(handle)).toHaveLength(2);
  });

  it('is not needed after a termination: a new run adopts the earlier one’s task', async () => {
    world.fault({ on: 'task', match: { promptIncludes: 'terminated' }, fault: { kind: 'slow', ms: 3_000 } });
    const handle = await world.start(image('terminated', WEBHOOK_ONLY));
    await world.until(handle, 'waiting');
    const { runId } = await handle.describe();
    await handle.terminate();
    const next = await world.start(
      { ...image('terminated', WEBHOOK_ONLY), earlierRun: runId },
      handle.workflowId,
    );
    const result = await next.result();
    expect(result.attempts).toMatchObject([{ adopted: true, outcome: 'completed' }]);
    expect(bought(handle)).toEqual([result.taskId]);
  });
});

describe('without credits', () => {
  it('a run that is Reset while it is parked, or after it was, goes on', async () => {
    const prompt = 'reset parked';
    const error = { kind: 'error', code: 'INSUFFICIENT_CREDITS' } as const;
    world.fault({ on: 'submit', match: { promptIncludes: prompt }, times: 1, fault: error });
    const workspace = world.emulator.service().accounts.workspace('default');
    if (workspace === undefined) throw new Error('no default workspace');
    const handle = await world.start(image(prompt));
    await world.until(handle, 'parked');
    const entered = async (): Promise<void> => {
      const { events } = await handle.fetchHistory();
      expect(events?.some((event) => event.activityTaskCompletedEventAttributes)).toBe(true);
    };
    await eventually(entered);
    const again = await reset(handle, LAST);
    await world.until(again, 'parked');
    workspace.pools.permanent += 100;
    world.emulator.service().accounts.saveWorkspace(workspace);
    const before: GenerationResult = await again.result();
    const after: GenerationResult = await (await reset(again, LAST)).result();
    expect(after.taskId).toBe(before.taskId);
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });

  it('a run is parked, and goes on in order when the balance has grown', async () => {
    const own = await openWorld({
      emulator: { accounts: [{ workspace: 'default', credits: { permanent: 0, subscription: 3 } }] },
    });
    try {
      const policy = {
        ...WEBHOOK_ONLY,
        retries: { INSUFFICIENT_CREDITS: { initial: 100, factor: 1, max: 100 } },
      };
      const handles = [];
      for (const prompt of ['first', 'second', 'third']) {
        const handle = await own.start(image(`parked ${prompt}`, policy));
        await own.until(handle, 'parked');
        handles.push(handle);
      }
      const [first, second, third] = handles as [Generation, Generation, Generation];
      await eventually(async () => {
        const { searchAttributes } = await first.describe();
        expect(searchAttributes['DarkroomState']).toEqual(['waiting for credits']);
      });
      const accounts = own.emulator.service().accounts;
      const workspace = accounts.workspace('default');
      if (workspace === undefined) throw new Error('no default workspace');
      workspace.pools.permanent += 16;
      accounts.saveWorkspace(workspace);
      await Promise.all([first.result(), second.result()]);
      await own.until(third, 'parked');
      expect(own.charges(third.workflowId)).toEqual([]);
      workspace.pools.permanent += 8;
      accounts.saveWorkspace(workspace);
      expect((await third.result()).attempts).toMatchObject([{ outcome: 'completed' }]);
    } finally {
      await own.close();
    }
  });
});
