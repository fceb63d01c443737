import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Usage } from '../../../src/api/records/usage.ts';
import type { FailureDetails, Progress } from '../../../src/contract/generation.ts';
import { taskEventSignal } from '../../../src/contract/messages.ts';
import { DarkroomState } from '../../../src/contract/search-attributes.ts';
import { resetRun } from '../../reset-run.ts';
import { eventually, FAST, type Generation, image, openWorld, WEBHOOK_ONLY, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(async () => {
  await world.close();
});

const latest = ({ workflowId }: Generation): Generation => world.client.workflow.getHandle(workflowId);

/** By itself, and before others: theirs would be the same trouble, which begins once. */
describe('a run whose record cannot be read', () => {
  it('shows what holds it up', async () => {
    const match = { promptIncludes: 'not to be read' };
    await (await world.start(image('read in good order'))).result();
    const before = world.warnings.length;
    const told = () =>
      world.warnings.slice(before).filter(({ message }) => message.includes('reading tasks from the API'));
    world.fault({ on: 'get', id: 'unread', match, fault: { kind: 'error', code: 'UNAUTHORIZED' } });
    const handle = await world.start(image('not to be read'));
    const { trouble } = await eventually(async () => {
      const progress = await handle.query<{ trouble: string | null }>('progress');
      expect(progress.trouble).not.toBeNull();
      return progress;
    });
    expect(trouble).toContain('401');
    const shownState = async () => (await handle.describe()).typedSearchAttributes.get(DarkroomState);
    await eventually(async () => expect(await shownState()).toBe('record cannot be read'));
    expect(told().map(({ message }) => message)).toEqual([
      expect.stringMatching(/^reading tasks from the API fails .*401/),
    ]);
    world.emulator.service().faults.remove('unread');
    expect((await handle.result()).status).toBe('COMPLETED');
    expect(await shownState()).toBeUndefined();
    expect(told().at(-1)?.message).toMatch(/^over after /);
  });
});

describe('a run that has begun, and whose next submit comes to a worker without its workspace', () => {
  it('waits for one that has it, and says so', async () => {
    const { workspaces } = world.config;
    const match = { promptIncludes: 'lacks its workspace' };
    world.fault({ on: 'task', match, times: 1, fault: { kind: 'fail', code: 'FAILED' } });
    const retries = { FAILED: { initial: '3s', max: '3s', resubmissions: 1 } };
    const handle = await world.start(image('lacks its workspace', { ...FAST, retries }));
    await eventually(async () => {
      const { attempts } = await handle.query<Progress>('progress');
      expect(attempts).toMatchObject([{ outcome: 'failed' }]);
    });
    await world.stopWorker();
    world.config.workspaces = new Map([...workspaces].map(([, settings]) => ['other', settings]));
    await world.startWorker();
    await eventually(async () => {
      const { trouble } = await handle.query<{ trouble: string | null }>('progress');
      expect(trouble).toContain('workspace default is not configured on this worker');
    });
    await world.stopWorker();
    world.config.workspaces = workspaces;
    await world.startWorker();
    expect((await handle.result()).status).toBe('COMPLETED');
    expect(world.bought(handle)).toHaveLength(2);
  });
});

describe.concurrent('a run that waits for its task', () => {
  it('is woken by the genuine event after an early or forged one', async () => {
    const release = world.hold('told too early');
    const handle = await world.start(image('told too early', { ...WEBHOOK_ONLY, deadline: '1m' }));
    const { taskId } = await world.until(handle, 'waiting');
    const early = { webhookId: 'msg_x', type: 'task.completed', taskId: taskId ?? '' };
    await handle.signal(taskEventSignal, early);
    await handle.signal(taskEventSignal, early);
    release();
    const { attempts } = await handle.result();
    expect(attempts).toMatchObject([{ settledBy: 'webhook', outcome: 'completed' }]);
  });

  it('is hardly looked at where webhooks arrive, unless its policy gives a pace', async () => {
    const { polling: _, ...byDefault } = FAST;
    await (await world.start(image('tells that webhooks come'))).result();
    const release = world.hold('waits for its webhook');
    const handle = await world.start(image('waits for its webhook', byDefault));
    const { nextPollAt, taskId } = await world.until(handle, 'waiting');
    expect(Date.parse(nextPollAt ?? '') - Date.now()).toBeGreaterThan(30_000);
    release();
    expect((await handle.result()).attempts).toMatchObject([{ settledBy: 'webhook' }]);
    expect(world.emulator.service().tasks.get(taskId ?? '')?.gets).toBe(1);
  });

  it('is not stopped by signals that are no messages', async () => {
    const release = world.hold('garbage');
    const handle = await world.start(image('garbage'));
    for (const name of ['taskEvent', 'taskGranted', 'creditsReleased']) {
      for (const argument of [null, 1, 'text', [], { taskId: 7 }, { taskId: {} }])
        await handle.signal(name, argument);
      await handle.signal(name);
    }
    release();
    expect((await handle.result()).status).toBe('COMPLETED');
  });

  it('is overdue at the latest when its deadline has passed twice, although no look is answered', async () => {
    const prompt = 'not answered for long';
    world.fault({ on: 'get', match: { promptIncludes: prompt }, fault: { kind: 'html' } });
    world.loseWebhooks(prompt);
    const polling = { first: '200ms', factor: 1, max: '1h' };
    const policy = { ...FAST, deadline: '1s', polling, vanished: { wait: '1h' } };
    expect((await world.fail(image(prompt, policy))).type).toBe('TASK_OVERDUE');
  });

  it('says, when it is overdue, that its record could not be read all the time', async () => {
    const match = { promptIncludes: 'unreadable' };
    world.fault({ on: 'get', match, fault: { kind: 'error', code: 'UNAUTHORIZED' } });
    const failure = await world.fail(image('unreadable', { ...FAST, deadline: '500ms' }));
    expect(failure).toMatchObject({
      type: 'TASK_OVERDUE',
      message: expect.stringContaining('could not be read since'),
    });
    expect(failure.message).toContain('401');
  });

  it('shows while it submits that the API is away, and no longer when it refuses for another reason', async () => {
    const match = { promptIncludes: 'api away' };
    world.fault({ on: 'submit', id: 'away', match, fault: { kind: 'error', code: 'PROVIDER_UNAVAILABLE' } });
    const pace = { initial: 20, factor: 1, max: 20, window: '1h' };
    const retries = { PROVIDER_UNAVAILABLE: pace, RATE_LIMITED: pace };
    const handle = await world.start(image('api away', { ...FAST, retries }));
    const shownState = async () => (await handle.describe()).typedSearchAttributes.get(DarkroomState);
    await eventually(async () => expect(await shownState()).toBe('submit is held up'));
    expect((await handle.query<{ trouble: string }>('progress')).trouble).toContain('tried again and again');
    const { faults } = world.emulator.service();
    world.fault({ on: 'submit', id: 'too many', match, fault: { kind: 'error', code: 'RATE_LIMITED' } });
    faults.remove('away');
    await eventually(async () => expect(await shownState()).toBeUndefined());
    expect(await handle.query<object>('progress')).toMatchObject({ state: 'submitting', trouble: null });
    faults.remove('too many');
    expect((await handle.result()).status).toBe('COMPLETED');
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });
});

describe('when many tasks vanish at once', () => {
  it('nobody buys again: a person is asked, and the runs go on when the tasks are there again', async () => {
    const prompts = Array.from({ length: 5 }, (_, index) => `a wrong key ${index}`);
    const release = world.hold('a wrong key');
    const policy = { ...FAST, reconcile: { wait: '1s', otherwise: 'resubmit' } };
    const handles = await Promise.all(prompts.map((prompt) => world.start(image(prompt, policy))));
    await Promise.all(handles.map((handle) => world.until(handle, 'waiting')));
    world.fault({ on: 'get', id: 'wrong-key', fault: { kind: 'error', code: 'PREDICTION_NOT_FOUND' } });
    const asked = await Promise.all(handles.map((handle) => world.until(handle, 'needs a decision')));
    for (const { trouble } of asked) expect(trouble).toContain('check its API key');
    world.emulator.service().faults.remove('wrong-key');
    release();
    for (const handle of handles) {
      expect((await handle.result()).attempts).toMatchObject([{ outcome: 'completed' }]);
      expect(world.charges(handle.workflowId)).toHaveLength(1);
    }
  });
});

describe('what the runs of one id were charged for', () => {
  it('adds up to the bill: a result is counted once, whoever adopts it', async () => {
    const handle = await world.start(image('charged once'));
    const first = await handle.result();
    await resetRun(world.client, handle.workflowId);
    const second = await latest(handle).result();
    const [total = 0] = world.charges(handle.workflowId).map(({ credits }) => credits);
    expect([first.charged.total, second.charged.total]).toEqual([total, 0]);
    expect(second.usage.total).toBe(total);
  });

  it('is counted by the run that goes on where a run was ended by its Reset', async () => {
    const release = world.hold('charged later');
    const handle = await world.start(image('charged later'));
    await world.until(handle, 'waiting');
    await resetRun(world.client, handle.workflowId);
    release();
    const result = await latest(handle).result();
    expect(result.charged.total).toBeGreaterThan(0);
    expect(result.charged).toEqual(result.usage);
  });

  it('is told once by a run that is cancelled, and by the one that adopts its task', async () => {
    const chargedBy = async (runId: string): Promise<number> => {
      const { memo } = await world.client.workflow.getHandle(handle.workflowId, runId).describe();
      return (memo as { cancelled: { charged: Usage } }).cancelled.charged.total; // of a cancelled run
    };
    const release = world.hold('cancelled and adopted');
    const handle = await world.start(image('cancelled and adopted'));
    const runs = [(await handle.describe()).runId];
    for (let cancelled = 0; cancelled < 2; cancelled += 1) {
      await world.until(latest(handle), 'waiting');
      await latest(handle).cancel();
      await latest(handle)
        .result()
        .catch(() => undefined);
      await resetRun(world.client, handle.workflowId);
      runs.push((await latest(handle).describe()).runId);
    }
    release();
    const { charged } = await latest(handle).result();
    const [first = '', second = ''] = runs;
    const [total = 0] = world.charges(handle.workflowId).map(({ credits }) => credits);
    expect([await chargedBy(first), await chargedBy(second), charged.total]).toEqual([total, 0, 0]);
  });

  it('is in a failure, too', async () => {
    const match = { promptIncludes: 'charged in vain' };
    world.fault({ on: 'task', match, times: 1, fault: { kind: 'fail', code: 'INVALID_INPUT' } });
    const handle = await world.start(image('charged in vain'));
    const first = await world.failureOf<FailureDetails>(handle);
    await resetRun(world.client, handle.workflowId);
    const second = await latest(handle).result();
    const billed = world.charges(handle.workflowId).reduce((sum, { credits }) => sum + credits, 0);
    expect(first.details.charged.total + second.charged.total).toBe(billed);
  });
});

/** Last: for some seconds it is known that one task is gone, and not all. */
describe('a run whose record is gone for a while', () => {
  it('looks soon again where the record is not there, although webhooks arrive', async () => {
    const { polling: _, ...byDefault } = FAST;
    await (await world.start(image('tells that they arrive'))).result();
    const release = world.hold('not there for a while');
    const handle = await world.start(
      image('not there for a while', { ...byDefault, vanished: { wait: '10m' } }),
    );
    await world.until(handle, 'waiting');
    const match = { promptIncludes: 'not there for a while' };
    world.fault({ on: 'get', id: 'gone', match, fault: { kind: 'error', code: 'PREDICTION_NOT_FOUND' } });
    await handle.executeUpdate('checkNow');
    await eventually(async () => {
      const { nextPollAt, trouble } = await handle.query<Progress>('progress');
      expect(trouble).toContain('does not know task');
      expect(Date.parse(nextPollAt ?? '') - Date.now()).toBeLessThan(30_000);
    });
    world.emulator.service().faults.remove('gone');
    release();
    expect((await handle.result()).status).toBe('COMPLETED');
  });
});
