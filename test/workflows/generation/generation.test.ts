import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Progress } from '../../../src/contract/generation.ts';
import { FAST, image, openWorld, WEBHOOK_ONLY, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe('a generation', () => {
  it('is charged once, and its result says everything about it', async () => {
    const handle = await world.start(image('a lighthouse', WEBHOOK_ONLY));
    const result = await handle.result();
    const [charge] = world.charges(handle.workflowId);
    expect(world.charges(handle.workflowId)).toHaveLength(1);
    const usage = charge?.usage;
    expect(result).toMatchObject({
      taskId: charge?.taskId,
      model: 'image-l',
      status: 'COMPLETED',
      data: { type: 'image', images: [{ url: expect.stringContaining(charge?.taskId ?? '') }] },
      outputs: [{ contentType: 'image/png', width: 2, height: 2, duration: null }],
      usage,
      attempts: [
        {
          taskId: charge?.taskId,
          outcome: 'completed',
          code: null,
          usage,
          settledBy: 'webhook',
          adopted: false,
        },
      ],
    });
    const [output] = result.outputs;
    const file = await readFile(new URL(output?.stored.uri ?? ''));
    expect(file.byteLength).toBe(output?.stored.bytes);
    expect(createHash('sha256').update(file).digest('hex')).toBe(output?.stored.sha256);
  });

  it('can be found by its task id, model and workspace', async () => {
    const handle = await world.start(image('searchable'));
    const { taskId } = await handle.result();
    const { searchAttributes } = await handle.describe();
    expect(searchAttributes).toMatchObject({
      DarkroomTaskId: [taskId],
      DarkroomModel: ['image-l'],
      DarkroomWorkspace: ['default'],
    });
    expect(searchAttributes['DarkroomState']).toBeUndefined();
  });

  it('is settled by polling when no webhook comes', async () => {
    world.fault({ on: 'webhook', match: { promptIncludes: 'unheard' }, fault: { kind: 'lost' } });
    const { attempts } = await world.generate(image('unheard'));
    expect(attempts).toMatchObject([{ outcome: 'completed', settledBy: 'poll' }]);
  });

  it('is not disturbed by a signal that says nothing', async () => {
    world.loseWebhooks('babble');
    const handle = await world.start(image('babble'));
    for (const nothing of [null, 5, 'x', {}, { type: 'task.completed' }]) {
      await handle.signal('taskEvent', nothing);
    }
    await handle.signal('taskEvent');
    expect((await handle.result()).attempts).toMatchObject([{ settledBy: 'poll' }]);
    expect((await handle.query<Progress>('progress')).nextPollAt).toBeNull();
  });

  it('polls at once when it is asked to', async () => {
    world.fault({ on: 'webhook', match: { promptIncludes: 'impatient' }, fault: { kind: 'lost' } });
    const handle = await world.start(image('impatient', WEBHOOK_ONLY));
    const { nextPollAt } = await world.until(handle, 'waiting');
    expect(Date.parse(nextPollAt ?? '')).toBeGreaterThan(Date.now() + 10_000);
    let state = 'waiting';
    while (state === 'waiting') ({ state } = await handle.executeUpdate<{ state: string }, []>('checkNow'));
    expect((await handle.result()).attempts).toMatchObject([{ settledBy: 'poll' }]);
  });

  it('refuses a bad request before any network call, with one entry a field', async () => {
    const before = world.emulator.service().counters.snapshot().requests;
    const failure = await world.fail({
      model: 'image-l',
      input: { promt: 'x', aspect_ratio: '7:5' },
      policy: { deadline: 'never' },
    });
    expect(failure.type).toBe('INVALID_REQUEST');
    expect(failure.details).toMatchObject({ attempts: [], usage: { total: 0 } });
    expect(failure.details.errors?.map(({ path }) => path).sort()).toEqual([
      'input.aspect_ratio',
      'input.prompt',
      'input.promt',
      'policy.deadline',
    ]);
    expect(world.emulator.service().counters.snapshot().requests).toEqual(before);
  });

  it('lists the first of very many mistakes, and counts the rest', async () => {
    const policy = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`wrong-${index}`, 'x']));
    const failure = await world.fail(image('all wrong', { ...policy, ['y'.repeat(10_000)]: 1 }));
    expect(failure.type).toBe('INVALID_REQUEST');
    expect(failure.details.errors).toHaveLength(51);
    expect(failure.details.errors?.at(-1)).toEqual({ path: 'request', message: 'has 19951 more mistakes' });
  });

  it('tells of a missing model and a missing input at once', async () => {
    const failure = await world.fail({} as never); // wrong on purpose
    expect(failure.details.errors?.map(({ path }) => path)).toEqual(['model', 'input']);
  });

  it.each([
    ['an unknown workspace', { model: 'image-l', input: { prompt: 'x' }, workspace: 'nowhere' }, 'workspace'],
    ['nothing at all', null, 'request'],
  ])('refuses %s', async (_, request, path) => {
    const failure = await world.fail(request as never); // wrong on purpose
    expect(failure.type).toBe('INVALID_REQUEST');
    expect(failure.details.errors?.[0]?.path).toBe(path);
  });
});

describe.concurrent('a rejected submit', () => {
  it('is tried again by Temporal when the API asks to slow down, and leaves no attempt', async () => {
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'busy' },
      times: 2,
      fault: { kind: 'error', code: 'RATE_LIMITED' },
    });
    const handle = await world.start(image('busy'));
    expect((await handle.result()).attempts).toHaveLength(1);
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });

  it.each(['INVALID_INPUT', 'UNAUTHORIZED'])(
    'fails at once with %s, and nothing is charged',
    async (code) => {
      world.fault({
        on: 'submit',
        match: { promptIncludes: `refused: ${code}` },
        fault: { kind: 'error', code },
      });
      const failure = await world.fail(image(`refused: ${code}`));
      const type = code === 'INVALID_INPUT' ? `IMAGE_GENERATION_${code}` : code;
      expect(failure.type).toBe(type);
      expect(failure.details.attempts).toMatchObject([{ taskId: null, outcome: 'rejected', code: type }]);
      expect(failure.details.usage.total).toBe(0);
    },
  );

  it('takes a new seed after rejected content where the policy opts in', async () => {
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'risky' },
      times: 2,
      fault: { kind: 'error', code: 'CONTENT_REJECTED' },
    });
    const policy = {
      ...FAST,
      retries: { ...FAST.retries, CONTENT_REJECTED: { resubmissions: 2, initial: 20 } },
    };
    const handle = await world.start({ model: 'image-r', input: { prompt: 'risky', seed: 1 }, policy });
    const { attempts, taskId } = await handle.result();
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['rejected', 'rejected', 'completed']);
    expect(world.emulator.service().tasks.get(taskId)?.input['seed']).not.toBe(1);
  });
});

describe.concurrent('a task that fails', () => {
  it.each([
    ['PROVIDER_UNAVAILABLE', 4],
    ['INVALID_INPUT', 1],
  ] as const)('with %s is bought %d time(s) in all', async (code, tasks) => {
    world.fault({ on: 'task', match: { promptIncludes: `task ${code}` }, fault: { kind: 'fail', code } });
    const handle = await world.start(image(`task ${code}`));
    const failure = await world.failureOf<{ attempts: unknown[]; usage: { total: number } }>(handle);
    expect(failure.type).toBe(`IMAGE_GENERATION_${code}`);
    expect(world.charges(handle.workflowId)).toHaveLength(tasks);
    expect(failure.details.attempts).toHaveLength(tasks);
    expect(failure.details.usage.total).toBe(
      world.charges(handle.workflowId).reduce((sum, { credits }) => sum + credits, 0),
    );
  });

  it('and was refunded counts as free, as its record says', async () => {
    const own = await openWorld({ emulator: { assumptions: { refunds: 'all' } } });
    try {
      own.fault({
        on: 'task',
        match: { promptIncludes: 'money back' },
        times: 1,
        fault: { kind: 'fail', code: 'FAILED' },
      });
      const { attempts, usage } = await own.generate(image('money back'));
      expect(attempts).toMatchObject([{ outcome: 'failed', usage: { total: 0 } }, { outcome: 'completed' }]);
      expect(usage).toEqual(attempts[1]?.usage);
    } finally {
      await own.close();
    }
  });

  it('once is bought again, and the result counts both', async () => {
    world.fault({
      on: 'task',
      match: { promptIncludes: 'second try' },
      times: 1,
      fault: { kind: 'fail', code: 'TIMEOUT' },
    });
    const handle = await world.start(image('second try'));
    const { attempts, usage } = await handle.result();
    expect(attempts).toMatchObject([
      { outcome: 'failed', code: 'IMAGE_GENERATION_TIMEOUT' },
      { outcome: 'completed', code: null },
    ]);
    expect(usage.total).toBe(world.charges(handle.workflowId).reduce((sum, { credits }) => sum + credits, 0));
  });

  it('with CONTENT_REJECTED is bought again with another seed where the policy opts in', async () => {
    const prompt = 'rejected when it was made';
    const fault = { kind: 'fail', code: 'CONTENT_REJECTED' } as const;
    world.fault({ on: 'task', match: { promptIncludes: prompt }, times: 1, fault });
    const retries = { ...FAST.retries, CONTENT_REJECTED: { resubmissions: 1, initial: 20 } };
    const request = { model: 'image-r', input: { prompt, seed: 1 }, policy: { ...FAST, retries } };
    const handle = await world.start(request);
    const { attempts } = await handle.result();
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['failed', 'completed']);
    const { tasks } = world.emulator.service();
    const seeds = world.bought(handle).map((taskId) => tasks.get(taskId)?.input['seed']);
    expect(seeds).toEqual([1, expect.any(Number)]);
    expect(seeds[1]).not.toBe(1);
  });

  it('is not bought again beyond the budget', async () => {
    world.fault({
      on: 'task',
      match: { promptIncludes: 'dear' },
      fault: { kind: 'fail', code: 'RATE_LIMITED' },
    });
    const handle = await world.start(image('dear', { ...FAST, budget: { credits: 20 } }));
    expect((await world.failureOf(handle)).type).toBe('BUDGET_EXCEEDED');
    expect(world.charges(handle.workflowId)).toHaveLength(2);
  });

  it('fails with TASK_CANCELED when it was canceled on the API’s side', async () => {
    world.fault({ on: 'task', match: { promptIncludes: 'called off' }, fault: { kind: 'cancel' } });
    const failure = await world.fail(image('called off'));
    expect(failure.type).toBe('TASK_CANCELED');
    expect(failure.details.attempts).toMatchObject([{ outcome: 'canceled', taskId: expect.any(String) }]);
  });

  it('fails with TASK_OVERDUE and its id when the deadline passes', async () => {
    world.fault({ on: 'task', match: { promptIncludes: 'forever' }, fault: { kind: 'hang' } });
    const failure = await world.fail(image('forever', { ...FAST, deadline: '600ms' }));
    expect(failure.type).toBe('TASK_OVERDUE');
    expect(failure.details.attempts).toMatchObject([
      { outcome: 'overdue', taskId: expect.any(String), settledBy: 'poll' },
    ]);
    expect(failure.details.usage.total).toBeGreaterThan(0);
  });

  it('is looked at beyond its deadline until the API says how it stands', async () => {
    const fault = { kind: 'error', code: 'PREDICTION_NOT_FOUND' } as const;
    world.fault({ on: 'get', match: { promptIncludes: 'not seen yet' }, times: 2, fault });
    const policy = { ...FAST, deadline: '200ms', polling: { first: '1s', factor: 1, max: '1s' } };
    const { status } = await world.generate(image('not seen yet', { ...policy, vanished: { wait: '10s' } }));
    expect(status).toBe('COMPLETED');
  });

  it('whose record cannot be read at its deadline is looked at for as long as one that is missing', async () => {
    const fault = { kind: 'html' } as const;
    world.fault({ on: 'get', match: { promptIncludes: 'behind a veil' }, times: 12, fault });
    const policy = { ...FAST, deadline: '200ms', polling: { first: '100ms', factor: 1, max: '100ms' } };
    const { status } = await world.generate(image('behind a veil', { ...policy, vanished: { wait: '30s' } }));
    expect(status).toBe('COMPLETED');
  });

  it('is waited for while its record cannot be read', async () => {
    for (const code of ['UNAUTHORIZED', 'FORBIDDEN']) {
      world.fault({
        on: 'get',
        match: { promptIncludes: 'veiled' },
        times: 1,
        fault: { kind: 'error', code },
      });
    }
    world.fault({ on: 'get', match: { promptIncludes: 'veiled' }, times: 1, fault: { kind: 'html' } });
    world.fault({ on: 'get', match: { promptIncludes: 'veiled' }, times: 1, fault: { kind: 'reset' } });
    const handle = await world.start(image('veiled'));
    expect((await handle.result()).status).toBe('COMPLETED');
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });

  it('is not bought again for ever where one after the other vanishes: a person is asked', async () => {
    const prompt = 'one after the other';
    // Others are there: it is not the key.
    await world.generate(image('is there'));
    world.fault({ on: 'task', match: { promptIncludes: prompt }, fault: { kind: 'vanish' } });
    const policy = { ...FAST, reconcile: { wait: '30s', otherwise: 'resubmit' } };
    const handle = await world.start(image(prompt, policy));
    const { attempts } = await world.until(handle, 'needs a decision');
    expect(attempts.map(({ outcome }) => outcome)).toEqual(Array(5).fill('vanished'));
    expect(world.bought(handle)).toHaveLength(6);
    await handle.executeUpdate('decide', { args: [{ action: 'fail' }] });
    expect((await world.failureOf(handle)).type).toBe('TASK_VANISHED');
  });

  it('that the API no longer knows has vanished, although every other look is not answered', async () => {
    world.fault({ on: 'task', match: { promptIncludes: 'hidden' }, times: 1, fault: { kind: 'vanish' } });
    world.loseWebhooks('hidden');
    const nth = Array.from({ length: 60 }, (_, index) => 2 * (index + 1));
    world.fault({ on: 'get', match: { promptIncludes: 'hidden' }, nth, fault: { kind: 'html' } });
    const { type } = await world.fail(
      image('hidden', { ...FAST, deadline: '20s', vanished: { wait: '1s' } }),
    );
    expect(type).toBe('TASK_VANISHED');
  });

  it('that was missing once is looked at with pauses while no further look is answered', async () => {
    const match = { promptIncludes: 'out of sight' };
    world.loseWebhooks('out of sight');
    const missing = { kind: 'error', code: 'PREDICTION_NOT_FOUND' } as const;
    world.fault({ on: 'get', match, times: 1, fault: missing });
    const { faults } = world.emulator.service();
    const { id } = faults.add({ on: 'get', match, fault: { kind: 'html' } });
    const polling = { first: '300ms', factor: 1, max: '300ms' };
    const policy = { ...FAST, deadline: '3s', polling, vanished: { wait: '200ms' } };
    expect((await world.fail(image('out of sight', policy))).type).toBe('TASK_OVERDUE');
    // One each 300 ms, until the deadline and for three pauses more.
    expect(faults.get(id)?.injected).toBeLessThan(20);
  });

  it('that the API no longer knows is waited for, then as the policy says', async () => {
    world.fault({ on: 'task', match: { promptIncludes: 'gone' }, times: 1, fault: { kind: 'vanish' } });
    world.loseWebhooks('gone');
    const failure = await world.fail(image('gone'));
    expect(failure.type).toBe('TASK_VANISHED');
    expect(failure.details.attempts).toMatchObject([{ outcome: 'vanished', settledBy: 'poll' }]);
    world.fault({
      on: 'task',
      match: { promptIncludes: 'bought anew' },
      times: 1,
      fault: { kind: 'vanish' },
    });
    const { attempts } = await world.generate(
      image('bought anew', { ...FAST, reconcile: { wait: '1s', otherwise: 'resubmit' } }),
    );
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['vanished', 'completed']);
  });
});

describe.concurrent('the outputs', () => {
  it('are fetched again when a transfer breaks off', async () => {
    world.fault({ on: 'file', match: { promptIncludes: 'torn' }, times: 1, fault: { kind: 'truncated' } });
    const { outputs } = await world.generate(image('torn'));
    const file = await readFile(new URL(outputs[0]?.stored.uri ?? ''));
    expect(file.byteLength).toBe(outputs[0]?.stored.bytes);
  });
});
