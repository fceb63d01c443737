import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FailureDetails, Progress } from '../../src/workflows/contract.ts';
import { entityId } from '../../src/workflows/names.ts';
import { eventually, FAST, type Generation, image, openWorld, WEBHOOK_ONLY, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const ASK = { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } };
const RESUBMIT = { ...FAST, reconcile: { wait: '100ms', otherwise: 'resubmit' } };
const FAIL = { ...FAST, reconcile: { wait: '100ms', otherwise: 'fail' } };

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

/** What a receiver tells that has refused events. */
async function heldUp(): Promise<void> {
  const id = entityId('unclaimed-tasks', 'default', world.config.taskQueue);
  await world.client.workflow.getHandle(id).signal('eventsHeldUp');
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
    world.loseAnswer('twins', 2);
    const handles = await Promise.all([world.start(image('twins')), world.start(image('twins'))]);
    const results = await Promise.all(handles.map((handle) => handle.result()));
    const charges = handles.flatMap(({ workflowId }) => world.charges(workflowId));
    expect(new Set(results.map(({ taskId }) => taskId))).toEqual(
      new Set(charges.map(({ taskId }) => taskId)),
    );
    expect(charges).toHaveLength(2);
  });

  it('never takes the failed task of an equal generation that has bought another one since', async () => {
    const prompt = 'failed twin';
    world.loseWebhooks(prompt);
    const fault = { kind: 'fail', code: 'TIMEOUT' } as const;
    world.fault({ on: 'task', match: { promptIncludes: prompt }, times: 1, fault });
    const twin = await world.start(image(prompt));
    const { attempts: twins } = await twin.result();
    expect(twins.map(({ outcome }) => outcome)).toEqual(['failed', 'completed']);
    world.loseAnswer(prompt);
    const lost = await world.start(image(prompt));
    await world.until(lost, 'reconciling');
    const [own] = world.charges(lost.workflowId);
    // The news of both come late: first of the one that has failed.
    await tellOfCreation(twins[0]?.taskId ?? '', { prompt });
    await tellOfCreation(own?.taskId ?? '', { prompt });
    expect((await lost.result()).attempts).toMatchObject([{ taskId: own?.taskId, adopted: true }]);
    expect(world.charges(lost.workflowId)).toHaveLength(1);
  });

  it('takes a failed task that fits where no better one comes: it is not bought again blindly', async () => {
    const prompt = 'lost and failed';
    world.loseAnswer(prompt);
    const fault = { kind: 'fail', code: 'INVALID_INPUT' } as const;
    world.fault({ on: 'task', match: { promptIncludes: prompt }, fault });
    const policy = { ...FAST, reconcile: { wait: '8s', otherwise: 'resubmit' } };
    const handle = await world.start(image(prompt, policy));
    const { type, details } = await world.failureOf<FailureDetails>(handle);
    expect(type).toBe('IMAGE_GENERATION_INVALID_INPUT');
    expect(details.attempts).toMatchObject([{ outcome: 'failed', adopted: true }]);
    expect(world.charges(handle.workflowId)).toHaveLength(1);
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
    world.loseAnswer(prompt);
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
    world.loseWebhooks(prompt);
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

  it('is adopted when the receiver tells of its task’s end, and only a task of that input', async () => {
    const prompt = 'known to the receiver';
    world.loseAnswer(prompt);
    world.loseWebhooks('to the receiver');
    const other = await world.generate(image('another one, to the receiver'));
    const handle = await world.start(image(prompt));
    await world.until(handle, 'reconciling');
    const [charge] = world.charges(handle.workflowId);
    for (const taskId of [other.taskId, charge?.taskId]) {
      await handle.signal('taskEvent', { webhookId: `msg_${taskId}`, type: 'task.completed', taskId });
    }
    const { attempts } = await handle.result();
    expect(attempts).toMatchObject([{ taskId: charge?.taskId, outcome: 'completed', adopted: true }]);
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });

  it('is bought again without evidence only where the policy says so', async () => {
    world.loseAnswer('again');
    world.loseWebhooks('again');
    const handle = await world.start(image('again', RESUBMIT));
    expect((await handle.result()).attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'completed']);
    expect(world.charges(handle.workflowId)).toHaveLength(2);
  });

  it('is waited for anew when the events of the workspace were held up', async () => {
    const prompt = 'held up';
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const policy = { ...FAST, reconcile: { wait: '4s', otherwise: 'resubmit' } };
    const handle = await world.start(image(prompt, policy));
    await world.until(handle, 'reconciling');
    // A receiver reports again and again, until the run wants to give up and is told.
    await eventually(async () => {
      await heldUp();
      const { currentDetails } = await handle.query<{ currentDetails?: string }>(
        '__temporal_workflow_metadata',
      );
      expect(currentDetails).toContain('events were held up: looking on for');
    });
    const [bought] = world.charges(handle.workflowId);
    await tellOfCreation(bought?.taskId ?? '', { prompt });
    expect((await handle.result()).attempts).toMatchObject([{ taskId: bought?.taskId, adopted: true }]);
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });

  it('is not waited for on and on, however often events are held up', async () => {
    const prompt = 'held up for ever';
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const handle = await world.start(image(prompt, FAIL));
    await eventually(async () => {
      await heldUp();
      expect((await handle.describe()).status.name).toBe('FAILED');
    });
    expect((await world.failureOf(handle)).type).toBe('SUBMISSION_UNKNOWN');
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
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
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
      expect(searchAttributes).toMatchObject({
        DarkroomState: ['needs a decision'],
        DarkroomModel: ['image-l'],
        DarkroomWorkspace: ['default'],
      });
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
    world.loseAnswer(prompt);
    world.fault({ on: 'webhook', match: { promptIncludes: prompt }, fault: { kind: 'late', ms: 2_500 } });
    const handle = await world.start(image(prompt, ASK));
    await world.until(handle, 'needs a decision');
    expect((await handle.result()).attempts).toMatchObject([{ outcome: 'completed', adopted: true }]);
  });

  it('adopts the task whose end is told to it, without a person', async () => {
    const handle = await undecided('told too late');
    const [charge] = world.charges(handle.workflowId);
    const event = { webhookId: 'msg_late', type: 'task.completed', taskId: charge?.taskId };
    await handle.signal('taskEvent', event);
    expect((await handle.result()).attempts).toMatchObject([{ taskId: charge?.taskId, adopted: true }]);
  });

  it('takes one decision, and refuses another that comes while the first is done', async () => {
    const handle = await undecided('one word');
    const told = await decide(handle, { action: 'resubmit' });
    expect(told).toMatchObject({ state: expect.not.stringMatching('needs a decision') });
    await expect(decide(handle, { action: 'fail' })).rejects.toThrow(/Update failed/);
    expect((await handle.result()).status).toBe('COMPLETED');
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
