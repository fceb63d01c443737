import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DarkroomClient } from '../../../src/client/index.ts';
import { resetRun } from '../../reset-run.ts';
import { goesOn, openShortWorld } from '../short-histories.ts';
import { eventually, FAST, type Generation, image, openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openShortWorld(30);
});
afterAll(() => world?.close());

const POLLS = { ...FAST, polling: { first: '30ms', factor: 1, max: '30ms' } };

it.concurrent('a run that polls for long goes on in a new one, is found by its webhook, and buys nothing again', async () => {
  const release = world.hold('for long');
  const handle = await world.start(image('for long', POLLS));
  const latest = await goesOn(world, handle.workflowId);
  release();
  const result = await latest.result();
  expect(result.attempts).toMatchObject([{ outcome: 'completed', adopted: false }]);
  expect(world.charges(handle.workflowId)).toHaveLength(1);
  expect(result.charged).toEqual(result.usage);
});

it.concurrent('a run that goes on in new ones is followed to its end', async () => {
  const release = world.hold('followed over its runs');
  const handle = await world.start(image('followed over its runs', POLLS));
  const run = await new DarkroomClient(world.client).attach(handle.workflowId);
  const seen: string[] = [];
  const follow = async (): Promise<void> => {
    for await (const progress of run.progress()) if ('state' in progress) seen.push(progress.state);
  };
  const followed = follow();
  await goesOn(world, handle.workflowId);
  await goesOn(world, handle.workflowId);
  release();
  await followed;
  expect(seen.at(-1)).toBe('done');
  expect(await run.result()).toMatchObject({ status: 'COMPLETED' });
});

it.concurrent('a run that is sent ids without end goes on in a new one all the same, and ends', async () => {
  const release = world.hold('endless ids');
  const handle = await world.start(image('endless ids', POLLS));
  await world.until(handle, 'waiting');
  const endless = 'x'.repeat(900_000);
  const odd = { toString: 2 };
  await handle.signal('submitProven', { claimId: odd, taskId: odd, usage: { total: 1 } });
  await handle.signal('taskGranted', { claimId: odd, taskId: odd });
  for (const first of ['1', '2', '3'])
    await handle.signal('taskEvent', { webhookId: 'w', type: 'task.completed', taskId: first + endless });
  const latest = await goesOn(world, handle.workflowId);
  release();
  await expect(latest.result()).resolves.toMatchObject({ status: 'COMPLETED' });
  expect(world.charges(handle.workflowId)).toHaveLength(1);
});

it.concurrent('a run that is told of tasks without end hands on the latest few hundred of them', async () => {
  const release = world.hold('endless tasks');
  const handle = await world.start(image('endless tasks', POLLS));
  await world.until(handle, 'waiting');
  const limit = pLimit(50);
  const told = Array.from({ length: 700 }, (_, index) => `${index}-${'x'.repeat(150)}`);
  const latest: Generation = world.client.workflow.getHandle(handle.workflowId);
  await Promise.all(
    told.map((taskId) =>
      limit(() => latest.signal('taskEvent', { webhookId: 'w', type: 'task.completed', taskId })),
    ),
  );
  await goesOn(world, handle.workflowId);
  const { events } = await latest.fetchHistory();
  const [, handedOn] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
  release();
  await expect(latest.result()).resolves.toMatchObject({ status: 'COMPLETED' });
  expect(handedOn?.data?.byteLength).toBeGreaterThan(50_000);
  expect(handedOn?.data?.byteLength).toBeLessThan(150_000);
});

it.concurrent('a rerun that is long before its first submit looks for what was bought, and goes on then', async () => {
  // It learns only with its first submit with which times it is to be scheduled.
  const submit = { timeout: '25s', heartbeat: '15s' };
  const own = await openWorld({ config: { temporal: world.config.temporal, policy: { submit } } });
  const { submit: _, ...policy } = FAST;
  try {
    const first = await own.start(image('long from the start', policy));
    const { taskId } = await first.result();
    const { runId: earlierRun } = await first.describe();
    await own.stopWorker();
    const next = await own.start({ ...image('long from the start', policy), earlierRun }, first.workflowId);
    const idle = { webhookId: 'none', type: 'task.started', taskId: 'another' };
    for (let index = 0; index < 40; index += 1) await next.signal('taskEvent', idle);
    await own.startWorker();
    expect((await next.result()).attempts).toMatchObject([{ taskId, adopted: true }]);
    expect(own.bought(first)).toEqual([taskId]);
  } finally {
    await own.close();
  }
});

it.concurrent('a Reset of a run that goes on for a long one buys nothing again', async () => {
  const release = world.hold('reset later');
  const handle = await world.start(image('reset later', POLLS));
  const latest = await goesOn(world, handle.workflowId);
  release();
  const { taskId } = await latest.result();
  await resetRun(world.client, handle.workflowId);
  const again = await latest.result();
  expect(again.taskId).toBe(taskId);
  expect(again.charged.total).toBe(0);
  expect(world.charges(handle.workflowId)).toHaveLength(1);
});

it.concurrent('files that are held up are tried at once by checkNow, however long the run has become', async () => {
  const match = { promptIncludes: 'held up for long' };
  world.fault({ on: 'file', id: 'held up', match, fault: { kind: 'expired', status: 404 } });
  const handle = await world.start(image('held up for long', { ...FAST, outputs: { wait: '1h' } }));
  await world.until(handle, 'storing');
  const latest = await goesOn(world, handle.workflowId);
  world.emulator.service().faults.remove('held up');
  const over = new AbortController();
  const ended = latest.result().finally(() => over.abort());
  // One that comes while the run goes on in another is refused.
  while (!over.signal.aborted) await latest.executeUpdate('checkNow').catch(() => undefined);
  await expect(ended).resolves.toMatchObject({
    status: 'COMPLETED',
    attempts: [{ adopted: false }],
  });
  expect(world.charges(handle.workflowId)).toHaveLength(1);
});

it.concurrent('files that never come are given up after the wait of the policy, however often the run goes on', async () => {
  const match = { promptIncludes: 'never stored' };
  world.fault({ on: 'file', match, fault: { kind: 'expired', status: 404 } });
  const handle = await world.start(image('never stored', { ...FAST, outputs: { wait: '20s' } }));
  const { runId } = await handle.describe();
  expect(await world.failureOf(handle)).toMatchObject({ type: 'OUTPUT_UNAVAILABLE' });
  const latest = await world.client.workflow.getHandle(handle.workflowId).describe();
  expect(latest.runId).not.toBe(runId);
});

describe.concurrent('of a task that fails after a long wait', () => {
  let patient: World;
  beforeAll(async () => {
    const { temporal } = world.config;
    patient = await openWorld({ config: { temporal }, emulator: { durations: { queue: 20, run: 3_000 } } });
  });
  afterAll(() => patient.close());

  it('one more is bought, once, and the Resets of both runs adopt that', async () => {
    const match = { promptIncludes: 'fails late' };
    patient.fault({ on: 'task', match, times: 1, fault: { kind: 'fail', code: 'TIMEOUT' } });
    const handle = await patient.start(image('fails late', POLLS));
    const { runId: first } = await handle.describe();
    const latest: Generation = patient.client.workflow.getHandle(handle.workflowId);
    const { attempts } = await handle.result();
    expect(attempts).toMatchObject([{ outcome: 'failed' }, { outcome: 'completed' }]);
    const { runId: last } = await latest.describe();
    expect(last).not.toBe(first);
    const bought = patient.bought(handle);
    expect(bought).toHaveLength(2);
    // To the point where the first one was about to go on as another.
    for (const runId of [first, last]) {
      await resetRun(patient.client, handle.workflowId, 1, runId);
      await latest.result();
    }
    expect(patient.bought(handle)).toEqual(bought);
  });
});

const ASKS = { ...POLLS, reconcile: { wait: '100ms', otherwise: 'ask' } };

/** Sends a run what it has no use for, as anybody can, until its history is so long that another run goes on for it. */
async function untilAnotherGoesOn(handle: Generation): Promise<Generation> {
  const { runId } = await handle.describe();
  const latest: Generation = world.client.workflow.getHandle(handle.workflowId);
  await eventually(async () => {
    await latest.signal('taskEvent', { webhookId: 'none', type: 'task.started', taskId: 'another' });
    expect((await latest.describe()).runId).not.toBe(runId);
  }, 20);
  return latest;
}

const decide = (handle: Generation, action: string): Promise<unknown> =>
  handle.executeUpdate<unknown, [object]>('decide', { args: [{ action }] });

it.concurrent('a run that waits for a person goes on waiting in a new one, is found by operators, and obeys', async () => {
  world.loseAnswer('asks for weeks');
  world.loseWebhooks('asks for weeks');
  const handle = await world.start(image('asks for weeks', ASKS));
  await world.until(handle, 'needs a decision');
  const latest = await untilAnotherGoesOn(handle);
  expect(await world.until(latest, 'needs a decision')).toMatchObject({ attempts: [] });
  await eventually(async () => {
    const query = `WorkflowId = '${handle.workflowId}' AND ExecutionStatus = 'Running' AND DarkroomState = 'needs a decision'`;
    expect((await world.client.workflow.count(query)).count).toBe(1);
  });
  await decide(latest, 'resubmit');
  const { attempts } = await latest.result();
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['unknown', 'completed']);
  expect(world.charges(handle.workflowId)).toHaveLength(2);
});

it.concurrent('a grant that cannot be judged yet is known to the run that goes on: nothing is bought again meanwhile', async () => {
  const prompt = 'granted and unreadable';
  world.loseAnswer(prompt);
  world.loseWebhooks(prompt);
  const handle = await world.start(image(prompt, ASKS));
  await world.until(handle, 'needs a decision');
  const [taskId = ''] = world.bought(handle);
  const match = { promptIncludes: prompt };
  world.fault({ id: prompt, on: 'get', match, fault: { kind: 'html', status: 503 } });
  await handle.signal('taskGranted', { claimId: 'of another submit', taskId });
  const latest = await untilAnotherGoesOn(handle);
  await world.until(latest, 'needs a decision');
  await expect(decide(latest, 'resubmit')).rejects.toMatchObject({
    cause: { message: expect.stringContaining(`task ${taskId} may be this one`) },
  });
  world.emulator.service().faults.remove(prompt);
  expect((await latest.result()).attempts).toMatchObject([{ taskId, outcome: 'completed', adopted: true }]);
  expect(world.bought(handle)).toEqual([taskId]);
});

it.concurrent('a search goes on in a new run, which gets the task that is found', async () => {
  world.loseAnswer('sought for long');
  world.loseWebhooks('sought for long');
  const wait = { wait: '30s', otherwise: 'fail' };
  const handle = await world.start(image('sought for long', { ...POLLS, reconcile: wait }));
  await world.until(handle, 'reconciling');
  const latest = await untilAnotherGoesOn(handle);
  await world.until(latest, 'reconciling');
  const [taskId = ''] = world.bought(handle);
  await world.tellOfCreation(taskId, { prompt: 'sought for long', n: 1 });
  expect((await latest.result()).attempts).toMatchObject([{ taskId, outcome: 'completed', adopted: true }]);
  expect(world.charges(handle.workflowId)).toHaveLength(1);
});

it.concurrent('a run whose task has vanished looks on in new runs while a person is asked', async () => {
  world.fault({ on: 'task', match: { promptIncludes: 'gone for weeks' }, fault: { kind: 'vanish' } });
  // Longer than any of the runs is: what one has seen counts in the next.
  const handle = await world.start(image('gone for weeks', { ...ASKS, vanished: { wait: '1500ms' } }));
  const { runId } = await handle.describe();
  const latest: Generation = world.client.workflow.getHandle(handle.workflowId);
  await world.until(handle, 'needs a decision');
  await eventually(async () => {
    expect((await latest.describe()).runId).not.toBe(runId);
    expect(await latest.query('progress')).toMatchObject({ state: 'needs a decision' });
  });
  // A run that ends at this very moment takes no decision: whoever decides says it again.
  await eventually(() => decide(latest, 'fail'));
  expect((await world.failureOf(latest)).type).toBe('TASK_VANISHED');
  expect(world.charges(handle.workflowId)).toHaveLength(1);
});

it.concurrent('a long run whose files are held up answers whoever has it look now', async () => {
  const match = { promptIncludes: 'held files' };
  world.fault({ on: 'file', id: 'held files', match, fault: { kind: 'expired', status: 404 } });
  const handle = await world.start(image('held files', { ...POLLS, outputs: { wait: '1h' } }));
  await world.until(handle, 'storing');
  for (let index = 0; index < 30; index += 1) {
    await handle.signal('taskEvent', { webhookId: 'none', type: 'task.started', taskId: 'another' });
  }
  const latest: Generation = world.client.workflow.getHandle(handle.workflowId);
  await eventually(async () => {
    expect(await latest.executeUpdate('checkNow')).toMatchObject({ state: 'storing' });
  });
  world.emulator.service().faults.remove('held files');
  expect((await latest.result()).outputs).toHaveLength(1);
});

describe('without credits', () => {
  const parks = (window: string) => ({
    ...POLLS,
    retries: { ...POLLS.retries, INSUFFICIENT_CREDITS: { initial: '50ms', factor: 1, max: '50ms', window } },
  });
  let poor: World;
  beforeAll(async () => {
    const { temporal } = world.config;
    const credits = { permanent: 0, subscription: 3 };
    poor = await openWorld({
      config: { temporal },
      emulator: { accounts: [{ workspace: 'default', credits }] },
    });
  });
  afterAll(() => poor.close());

  it('a parked run goes on waiting in new ones, until the window of the policy is over', async () => {
    const handle = await poor.start(image('parked until the end', parks('6s')));
    const { runId } = await handle.describe();
    expect((await poor.failureOf(handle)).type).toContain('INSUFFICIENT_CREDITS');
    const latest = await poor.client.workflow.getHandle(handle.workflowId).describe();
    expect(latest.runId).not.toBe(runId);
    expect(poor.charges(handle.workflowId)).toEqual([]);
  });

  it('a parked run that goes on in a new one buys once when there are credits', async () => {
    const handle = await poor.start(image('parked for long', parks('1h')));
    const { runId } = await handle.describe();
    const latest: Generation = poor.client.workflow.getHandle(handle.workflowId);
    await eventually(async () => expect((await latest.describe()).runId).not.toBe(runId));
    await poor.until(latest, 'parked');
    const { accounts } = poor.emulator.service();
    const workspace = accounts.workspace('default');
    if (workspace === undefined) throw new Error('no default workspace');
    workspace.pools.permanent += 8;
    accounts.saveWorkspace(workspace);
    expect((await latest.result()).attempts).toMatchObject([{ outcome: 'completed', adopted: false }]);
    expect(poor.charges(handle.workflowId)).toHaveLength(1);
  });
});
