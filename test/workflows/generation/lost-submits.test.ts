import { defaultPayloadConverter } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FailureDetails, Progress } from '../../../src/contract/generation.ts';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import { noticeOf } from '../../../src/temporal/unclaimed-tasks.ts';
import { resetRun } from '../../reset-run.ts';
import { eventually, FAST, type Generation, image, openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const RESUBMIT = { ...FAST, reconcile: { wait: '100ms', otherwise: 'resubmit' } };
const FAIL = { ...FAST, reconcile: { wait: '100ms', otherwise: 'fail' } };

const entity = () =>
  world.client.workflow.getHandle(entityId('unclaimed-tasks', 'default', world.config.taskQueue));

/** What a receiver tells that has refused events. */
const eventsDelayed = (): Promise<void> => entity().signal('eventsHeldUp');

describe.concurrent('a submit whose answer got lost', () => {
  it.each([
    ['the connection closed', { kind: 'lost-after' }],
    ['the API said TIMEOUT', { kind: 'error', code: 'TIMEOUT', accepted: true }],
  ] as const)('is adopted when %s, and not paid for again', async (what, fault) => {
    const prompt = `lost: ${what}`;
    world.fault({ on: 'submit', match: { promptIncludes: prompt }, times: 1, fault: { ...fault } });
    const handle = await world.start(image(prompt));
    const { attempts, taskId } = await handle.result();
    expect(world.charges(handle.workflowId).map((charge) => charge.taskId)).toEqual([taskId]);
    expect(attempts).toMatchObject([{ taskId, outcome: 'completed', adopted: true }]);
  });

  it('costs what its event says where the API forgets its task before any record is read', async () => {
    const prompt = 'found, and gone';
    world.loseAnswer(prompt);
    world.fault({ on: 'task', match: { promptIncludes: prompt }, fault: { kind: 'vanish' } });
    const { type, details } = await world.fail(image(prompt));
    expect(type).toBe('TASK_VANISHED');
    const usage = { total: 8 };
    expect(details).toMatchObject({ attempts: [{ outcome: 'vanished', usage }], usage, charged: usage });
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
    await world.tellOfCreation(twins[0]?.taskId ?? '', { prompt });
    await world.tellOfCreation(own?.taskId ?? '', { prompt });
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

  it('never takes the task of an equal generation that has bought before and whose submit was held up', async () => {
    const prompt = 'held up twin';
    const match = { promptIncludes: prompt };
    world.loseWebhooks(prompt);
    world.fault({ on: 'task', match, times: 1, fault: { kind: 'fail', code: 'TIMEOUT' } });
    const away = { kind: 'error', code: 'PROVIDER_UNAVAILABLE' } as const;
    world.fault({ on: 'submit', match, nth: [2, 3, 4, 5, 6], fault: away });
    // Each of these sees what no rule before it has struck: the first submit, and then the one after the refusals.
    world.fault({ on: 'submit', match, nth: 2, fault: { kind: 'slow', ms: 25_000 } });
    world.fault({ on: 'submit', match, nth: 2, fault: { kind: 'lost-before' } });
    const slow = await world.start(image(prompt));
    await eventually(() => expect(world.charges(slow.workflowId)).toHaveLength(2));
    const policy = { ...FAST, reconcile: { wait: '10s', otherwise: 'fail' } };
    const lost = await world.start(image(prompt, policy));
    await world.until(lost, 'reconciling');
    await world.tellOfCreation(world.bought(slow).at(-1) ?? '', { prompt });
    expect((await world.failureOf(lost)).type).toBe('SUBMISSION_UNKNOWN');
    expect((await slow.result()).taskId).toBe(world.bought(slow).at(-1));
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
    for (const taskId of bought) await world.tellOfCreation(taskId, { prompt });
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

  it('is not an equal task that another run holds, though the receiver tells of its end', async () => {
    const prompt = 'held by another one, and told';
    const { taskId } = await world.generate(image(prompt));
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const handle = await world.start(
      image(prompt, { ...FAST, reconcile: { wait: '3s', otherwise: 'fail' } }),
    );
    await world.until(handle, 'reconciling');
    await handle.signal('taskEvent', { webhookId: 'msg_held', type: 'task.completed', taskId });
    expect((await world.failureOf(handle)).type).toBe('SUBMISSION_UNKNOWN');
  });

  it('is waited for anew when the events of the workspace were delayed', async () => {
    const prompt = 'told of by no event';
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const policy = { ...FAST, reconcile: { wait: '15s', otherwise: 'resubmit' } };
    const handle = await world.start(image(prompt, policy));
    // A receiver reports again and again, until the run wants to give up and is told.
    await eventually(async () => {
      await eventsDelayed();
      expect(await world.details(handle)).toContain('events were delayed: looking on for');
    });
    const [bought] = world.charges(handle.workflowId);
    await world.tellOfCreation(bought?.taskId ?? '', { prompt });
    expect((await handle.result()).attempts).toMatchObject([{ taskId: bought?.taskId, adopted: true }]);
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });

  it('is not waited for on and on, however often events are delayed', async () => {
    const prompt = 'delayed for ever';
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const handle = await world.start(image(prompt, FAIL));
    await eventually(async () => {
      await eventsDelayed();
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

  it('is not bought again while the record of a task that may be its cannot be read', async () => {
    const prompt = 'unreadable';
    world.loseAnswer(prompt);
    const match = { promptIncludes: prompt };
    const fault = { kind: 'error', code: 'UNAUTHORIZED', status: 401 } as const;
    world.fault({ on: 'get', id: prompt, match, fault });
    const policy = { ...FAST, reconcile: { wait: '4s', otherwise: 'resubmit' } };
    const handle = await world.start(image(prompt, policy));
    await eventually(async () =>
      expect(await world.details(handle)).toMatch(/task \S+ may be this one, but its record cannot be read/),
    );
    world.emulator.service().faults.remove(prompt);
    const { attempts, taskId } = await handle.result();
    expect(attempts).toMatchObject([{ taskId, outcome: 'completed', adopted: true }]);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('on two models with the same fields gives each run what its own model has made', async () => {
    const prompt = 'same words, two models';
    world.loseAnswer(prompt, 2);
    world.loseWebhooks(prompt);
    // Until they are done, nothing tells their tasks apart.
    const release = world.hold(prompt);
    const picture = await world.start(image(prompt));
    await world.until(picture, 'reconciling');
    const clip = await world.start({ ...image(prompt), model: 'video-g' });
    await world.until(clip, 'reconciling');
    for (const run of [clip, picture])
      await world.tellOfCreation(world.bought(run)[0] ?? '', { prompt, n: 1 });
    release();
    const [made, filmed] = await Promise.all([picture.result(), clip.result()]);
    expect(made.outputs).toMatchObject([{ contentType: 'image/png' }]);
    expect(filmed.outputs).toMatchObject([{ contentType: 'video/mp4' }]);
    expect([made.taskId, filmed.taskId]).toEqual([...world.bought(picture), ...world.bought(clip)]);
  });

  it('never takes an equal task that the API made well before, by its own clock', async () => {
    const prompt = 'made before';
    world.loseWebhooks(prompt);
    const taskId = await world.buyOutside(prompt);
    world.fault({ on: 'submit', match: { promptIncludes: prompt }, fault: { kind: 'lost-before' } });
    const handle = await world.start(
      image(prompt, { ...FAST, reconcile: { wait: '3s', otherwise: 'fail' } }),
    );
    await world.until(handle, 'reconciling');
    const createdAt = new Date(Date.now() - 60_000).toISOString();
    const task = { taskId, webhookId: 'msg', input: { prompt }, createdAt, receivedAt: Date.now() };
    await entity().signal('taskCreated', { tasks: [noticeOf(task, undefined)] });
    expect((await world.failureOf(handle)).type).toBe('SUBMISSION_UNKNOWN');
  });

  it('is found where the API adds a field that the specification does not show for its model', async () => {
    const text = 'said with one field more';
    world.fault({ on: 'submit', match: { model: 'speech-b' }, times: 1, fault: { kind: 'lost-after' } });
    world.fault({ on: 'webhook', match: { model: 'speech-b' }, fault: { kind: 'lost' } });
    const handle = await world.start({ model: 'speech-b', input: { text }, policy: FAST });
    await world.until(handle, 'reconciling');
    const [taskId = ''] = world.bought(handle);
    await world.tellOfCreation(taskId, { text, n: 1 });
    expect((await handle.result()).attempts).toMatchObject([{ taskId, adopted: true }]);
  });

  it('is found where that field is one of another model, of which nobody has lost an answer', async () => {
    const prompt = 'filmed with one field more';
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const policy = { ...FAST, reconcile: { wait: '5s', otherwise: 'resubmit' } };
    const handle = await world.start({ model: 'video-d', input: { prompt }, policy });
    await world.until(handle, 'reconciling');
    const [taskId = ''] = world.bought(handle);
    Object.assign(world.emulator.service().tasks.get(taskId)?.input ?? {}, { n: 1 });
    await world.tellOfCreation(taskId, { prompt, n: 1 });
    expect((await handle.result()).attempts).toMatchObject([{ taskId, adopted: true }]);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('is found however many messages of no sense anybody sends to its run', async () => {
    const prompt = 'told nonsense';
    world.loseAnswer(prompt);
    world.fault({ on: 'webhook', match: { promptIncludes: prompt }, fault: { kind: 'late', ms: 1_000 } });
    const handle = await world.start(image(prompt));
    await world.until(handle, 'reconciling');
    for (const grant of [undefined, null, 7, 'x', {}, { claimId: 1, taskId: {} }])
      await handle.signal('taskGranted', grant);
    for (const signalName of ['taskGranted', 'taskEvent', 'submitProven', 'creditsReleased']) {
      await world.client.workflowService.signalWorkflowExecution({
        namespace: world.config.temporal.namespace,
        workflowExecution: { workflowId: handle.workflowId },
        signalName,
        input: {
          payloads: [{ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('{"') }],
        },
      });
    }
    expect((await handle.result()).attempts).toMatchObject([{ outcome: 'completed', adopted: true }]);
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });

  it('stays reserved: with a budget for one, the next submit waits for a sign of its task, which is taken', async () => {
    const prompt = 'dear and lost';
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const handle = await world.start(image(prompt, { ...RESUBMIT, budget: { credits: 8 } }));
    await eventually(async () => {
      const { state, trouble } = await handle.query<Progress>('progress');
      expect(state).toBe('submitting');
      expect(trouble).toContain(
        'unless the task of its lost submit turns up: what is left of the budget of ',
      );
      expect(trouble).toContain('is reserved for submits of which nobody can tell yet');
    });
    expect(await world.details(handle)).toContain('**Waiting for its budget**');
    const [taskId = ''] = world.bought(handle);
    await world.tellOfCreation(taskId, { prompt });
    const { attempts, charged } = await handle.result();
    expect(attempts).toMatchObject([{ outcome: 'unknown' }, { taskId, outcome: 'completed', adopted: true }]);
    expect([world.bought(handle), charged.total]).toEqual([[taskId], 8]);
  });
});

describe('a submit that was given up and turns out to be charged', () => {
  /** A run that has bought again what lost its answer, and the task of the first submit. Callers must hold the second. */
  async function boughtAgain(prompt: string): Promise<{ handle: Generation; first: string }> {
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const handle = await world.start(image(prompt, RESUBMIT));
    await world.until(handle, 'waiting');
    const [first = ''] = world.bought(handle);
    return { handle, first };
  }

  /** Has a task that is held fail now. */
  function fail(taskId = '', code: string): void {
    const { scheduler, tasks } = world.emulator.service();
    const task = tasks.get(taskId);
    if (task === undefined) throw new Error('there is no such task');
    const due = { start: Date.now(), finish: Date.now() };
    scheduler.force(task, { kind: 'fail', code, message: code }, due);
  }

  /** Tells a run what the first of its submits has bought. */
  async function prove(handle: Generation, taskId: string | undefined, outcome?: 'completed'): Promise<void> {
    const usage = { total: 8, subscription: 0, permanent: 8 };
    await handle.signal('submitProven', { claimId: await claimOfFirst(handle), taskId, usage, outcome });
  }

  /** The id of the claim for a run's first lost submit, which it has withdrawn. */
  async function claimOfFirst(handle: Generation): Promise<string> {
    const { events } = await handle.fetchHistory();
    const withdrawal = (events ?? [])
      .map((event) => event.activityTaskScheduledEventAttributes)
      .find((scheduled) => scheduled?.activityType?.name === 'withdrawClaim');
    const [request] = withdrawal?.input?.payloads ?? [];
    if (request === undefined) throw new Error('it has withdrawn no claim');
    return defaultPayloadConverter.fromPayload<{ claimId: string }>(request).claimId;
  }

  it('is told, and counts in the run that is still open', async () => {
    const prompt = 'late proof';
    const release = world.hold(prompt, 2);
    const { handle, first } = await boughtAgain(prompt);
    await eventually(() => expect(world.emulator.service().tasks.get(first)?.status).toBe('COMPLETED'));
    await world.tellOfCreation(first, { prompt });
    await eventually(async () =>
      expect((await handle.query<Progress>('progress')).attempts).toMatchObject([
        { taskId: first, outcome: 'completed', usage: { total: 8 } },
      ]),
    );
    release();
    const { usage, attempts } = await handle.result();
    expect(usage.total).toBe(16);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
    expect(world.warnings).toContainEqual({
      message: expect.stringContaining('was charged after all'),
      fields: expect.objectContaining({ workflowId: handle.workflowId, taskId: first, credits: 8 }),
    });
  });

  it('is charged where it is proven while the run asks what earlier runs have told', async () => {
    const prompt = 'proven while it is billed';
    const asked = Promise.withResolvers<void>();
    const toldAll = Promise.withResolvers<void>();
    const own = await openWorld({
      activities: (activities) => ({
        ...activities,
        accountedTasks: async (run) => {
          asked.resolve();
          await toldAll.promise;
          return await activities.accountedTasks(run);
        },
      }),
    });
    try {
      const match = { promptIncludes: prompt };
      own.fault({ on: 'submit', match, times: 1, fault: { kind: 'error', code: 'CONTENT_REJECTED' } });
      const refused = await own.start(image(prompt, RESUBMIT));
      await own.failureOf(refused);
      const { runId: earlierRun } = await refused.describe();
      own.loseAnswer(prompt);
      own.loseWebhooks(prompt);
      const handle = await own.start({ ...image(prompt, RESUBMIT), earlierRun }, refused.workflowId);
      await asked.promise;
      const [taskId = ''] = own.bought(handle);
      const usage = { total: 8, subscription: 0, permanent: 8 };
      const claimId = await claimOfFirst(handle);
      await handle.signal('submitProven', { claimId, taskId, usage, outcome: 'completed' });
      // It is heard once the question is answered.
      toldAll.resolve();
      const result = await handle.result();
      expect(result.usage.total).toBe(16);
      expect(result.charged).toEqual(result.usage);
    } finally {
      toldAll.resolve();
      await own.close();
    }
  });

  it('is adopted by a run that has lost another answer since, whose task is looked for all the same', async () => {
    const prompt = 'proven, and another lost since';
    world.loseAnswer(prompt, 2);
    world.loseWebhooks(prompt);
    const release = world.hold(prompt, 1);
    // So long that the first task is too old for the second submit.
    const policy = { ...RESUBMIT, reconcile: { wait: '12s', otherwise: 'resubmit' } };
    const handle = await world.start(image(prompt, policy));
    await eventually(() => expect(world.bought(handle)).toHaveLength(1));
    const receivedAt = Date.now();
    const [first = '', second = ''] = await eventually(() => {
      expect(world.bought(handle)).toHaveLength(2);
      return world.bought(handle);
    });
    const task = { taskId: first, webhookId: 'msg', input: { prompt }, createdAt: null, receivedAt };
    await entity().signal('taskCreated', { tasks: [noticeOf(task, undefined)], toldAt: Date.now() });
    expect(await world.until(handle, 'waiting')).toMatchObject({ taskId: first });
    await world.tellOfCreation(second, { prompt });
    await eventually(async () =>
      expect((await handle.query<Progress>('progress')).attempts).toMatchObject([
        { taskId: second, outcome: 'completed' },
      ]),
    );
    release();
    expect((await handle.result()).charged.total).toBe(16);
  });

  it('is adopted by a run that has lost another answer since: the task may be of either', async () => {
    const prompt = 'proof of either';
    const match = { promptIncludes: prompt };
    world.fault({ on: 'submit', match, times: 1, fault: { kind: 'lost-before' } });
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const policy = { ...RESUBMIT, reconcile: { wait: '2s', otherwise: 'resubmit' } };
    const handle = await world.start(image(prompt, policy));
    const [taskId = ''] = await eventually(() => {
      expect(world.bought(handle)).toHaveLength(1);
      return world.bought(handle);
    });
    await prove(handle, taskId, 'completed');
    const result = await handle.result();
    expect(result.attempts).toMatchObject([
      { taskId: null, outcome: 'unknown', usage: { total: 0 } },
      { taskId, outcome: 'completed', adopted: true },
    ]);
    expect(result.usage.total).toBe(8);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('is adopted by a run that asks about it: a Reset has brought back what it was told to give up', async () => {
    const prompt = 'proof while asking';
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const handle = await world.start(
      image(prompt, { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } }),
    );
    await world.until(handle, 'needs a decision');
    const [taskId = ''] = world.bought(handle);
    await prove(handle, taskId);
    expect((await handle.result()).attempts).toMatchObject([{ taskId, adopted: true }]);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it.each([
    ['cancelled', 'a Reset'],
    ['terminated', 'a rerun'],
  ])('of a run that was %s while it looked is taken over by %s', async (end, next) => {
    const prompt = `${end}, then ${next}`;
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    const handle = await world.start(image(prompt));
    await world.until(handle, 'reconciling');
    const { runId } = await handle.describe();
    if (end === 'cancelled') await handle.cancel();
    else await handle.terminate();
    await handle.result().catch(() => undefined); // it has ended
    const [taskId = ''] = world.bought(handle);
    await world.tellOfCreation(taskId, { prompt });
    await eventually(() =>
      expect(world.warnings).toContainEqual({
        message: expect.stringContaining('was charged after all'),
        fields: expect.objectContaining({ workflowId: handle.workflowId, taskId }),
      }),
    );
    if (next === 'a Reset') await resetRun(world.client, handle.workflowId, 0, runId);
    const again: Generation =
      next === 'a Reset'
        ? world.client.workflow.getHandle(handle.workflowId)
        : await world.start({ ...image(prompt), earlierRun: runId }, handle.workflowId);
    expect((await again.result()).attempts).toMatchObject([{ taskId, adopted: true, outcome: 'completed' }]);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it.each([
    ['is parked', 'INSUFFICIENT_CREDITS'],
    ['is refused again and again', 'PROVIDER_UNAVAILABLE'],
  ] as const)('is taken instead of another while the next submit %s', async (how, code) => {
    const prompt = `proven while the next ${how}`;
    world.loseAnswer(prompt);
    world.fault({ on: 'submit', match: { promptIncludes: prompt }, fault: { kind: 'error', code } });
    world.loseWebhooks(prompt);
    const handle = await world.start(image(prompt, RESUBMIT));
    await eventually(async () => {
      expect((await handle.query<Progress>('progress')).attempts).toMatchObject([{ outcome: 'unknown' }]);
    });
    if (code === 'INSUFFICIENT_CREDITS') await world.until(handle, 'parked');
    const [taskId = ''] = world.bought(handle);
    await world.tellOfCreation(taskId, { prompt });
    const { attempts, usage } = await handle.result();
    expect(attempts[0]).toMatchObject({ taskId: null, outcome: 'unknown' });
    // On a busy machine the next submit may have been refused for good in the same moment.
    expect(attempts.at(-1)).toMatchObject({ taskId, outcome: 'completed', adopted: true });
    expect(usage.total).toBe(8);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('is taken although the next submit is refused for good while its record is read', async () => {
    const prompt = 'proven, and then refused';
    const match = { promptIncludes: prompt };
    world.loseAnswer(prompt);
    const away = { kind: 'error', code: 'PROVIDER_UNAVAILABLE' } as const;
    world.fault({ on: 'submit', id: prompt, match, fault: away });
    world.fault({ on: 'get', match, times: 1, fault: { kind: 'slow', ms: 2_000 } });
    world.loseWebhooks(prompt);
    const handle = await world.start(image(prompt, RESUBMIT));
    await eventually(async () => {
      expect((await handle.query<Progress>('progress')).attempts).toMatchObject([{ outcome: 'unknown' }]);
    });
    const [taskId = ''] = world.bought(handle);
    await prove(handle, taskId);
    world.emulator.service().faults.remove(prompt);
    world.fault({ on: 'submit', match, fault: { kind: 'error', code: 'CONTENT_REJECTED' } });
    expect((await handle.result()).attempts.at(-1)).toMatchObject({ taskId, adopted: true });
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('keeps the next submit from being sent while nobody can read whether it has bought the task', async () => {
    const prompt = 'proven, and not to be read';
    world.loseAnswer(prompt);
    const match = { promptIncludes: prompt };
    const noCredits = { kind: 'error', code: 'INSUFFICIENT_CREDITS' } as const;
    world.fault({ on: 'submit', match, times: 1, fault: noCredits });
    const noKey = { kind: 'error', code: 'UNAUTHORIZED', status: 401 } as const;
    world.fault({ on: 'get', id: prompt, match, fault: noKey });
    world.loseWebhooks(prompt);
    const handle = await world.start(image(prompt, RESUBMIT));
    await world.until(handle, 'parked');
    const [taskId = ''] = world.bought(handle);
    await prove(handle, taskId);
    await handle.executeUpdate('checkNow');
    await eventually(async () =>
      expect(await world.details(handle)).toContain(`before another submit: task ${taskId} may be this one`),
    );
    world.emulator.service().faults.remove(prompt);
    expect((await handle.result()).attempts.at(-1)).toMatchObject({ taskId, adopted: true });
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('is taken although the next task was rejected, and another seed is drawn for the one after', async () => {
    const prompt = 'proven, and another seed drawn';
    world.loseAnswer(prompt);
    world.loseWebhooks(prompt);
    world.hold(prompt, 2);
    const retries = { ...FAST.retries, CONTENT_REJECTED: { resubmissions: 1, initial: 20 } };
    const policy = { ...RESUBMIT, retries };
    const handle = await world.start({ model: 'image-r', input: { prompt }, policy });
    await world.until(handle, 'waiting');
    const [taskId = '', second = ''] = world.bought(handle);
    await prove(handle, taskId, 'completed');
    fail(second, 'IMAGE_GENERATION_CONTENT_REJECTED');
    expect((await handle.result()).attempts.at(-1)).toMatchObject({ taskId, outcome: 'completed' });
    expect(world.bought(handle)).toEqual([taskId, second]);
  });

  /**
   * A run that has given up a lost submit and is told what that has bought, while the API takes no submit (the fault `prompt`)
   * and shows no record (the fault `unread`).
   */
  async function provenUnread(prompt: string, policy: object) {
    const match = { promptIncludes: prompt };
    const unread = `${prompt}: its record`;
    world.loseAnswer(prompt);
    const away = { kind: 'error', code: 'PROVIDER_UNAVAILABLE' } as const;
    world.fault({ on: 'submit', id: prompt, match, fault: away });
    world.fault({ on: 'get', id: unread, match, fault: { kind: 'html', status: 503 } });
    world.loseWebhooks(prompt);
    const handle = await world.start(image(prompt, policy));
    await eventually(async () => {
      expect((await handle.query<Progress>('progress')).attempts).toMatchObject([{ outcome: 'unknown' }]);
    });
    const [taskId = ''] = world.bought(handle);
    await prove(handle, taskId);
    return { handle, taskId, unread };
  }

  it('keeps the next submit from being sent by its tries as well, for as long as nobody can read it', async () => {
    const prompt = 'proven, not to be read, tried again';
    const { handle, taskId, unread } = await provenUnread(prompt, RESUBMIT);
    const tried = async (): Promise<number> => {
      const [submit] = (await handle.describe()).raw.pendingActivities ?? [];
      expect(submit?.lastFailure?.message).toContain('its record cannot be read now');
      return submit?.attempt ?? 0;
    };
    const first = await eventually(tried);
    // From here on the API takes submits.
    world.emulator.service().faults.remove(prompt);
    await eventually(async () => expect(await tried()).toBeGreaterThan(first + 1));
    world.emulator.service().faults.remove(unread);
    expect((await handle.result()).attempts.at(-1)).toMatchObject({ taskId, adopted: true });
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('is not bought again where its task can never be read: its run ends by the deadline, and a Reset adopts it', async () => {
    const prompt = 'proven, never to be read, tried again';
    const { handle, taskId, unread } = await provenUnread(prompt, { ...RESUBMIT, deadline: '3s' });
    await eventually(async () => {
      const [submit] = (await handle.describe()).raw.pendingActivities ?? [];
      expect(submit?.lastFailure?.message).toContain('its record cannot be read now');
    });
    // From here on the API takes submits.
    world.emulator.service().faults.remove(prompt);
    const { type, message, details } = await world.failureOf<FailureDetails>(handle);
    expect(world.bought(handle)).toEqual([taskId]);
    expect(type).toBe('SUBMISSION_UNKNOWN');
    expect(message).toContain(`nothing is bought again: task ${taskId} may be this one`);
    expect(details.attempts).toMatchObject([{ outcome: 'unknown' }]);
    world.emulator.service().faults.remove(unread);
    await resetRun(world.client, handle.workflowId);
    const again: Generation = world.client.workflow.getHandle(handle.workflowId);
    expect((await again.result()).taskId).toBe(taskId);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('is charged once where the run ends before its task has, and a Reset adopts that', async () => {
    const prompt = 'proven and running, then adopted';
    const release = world.hold(prompt);
    const { handle, first } = await boughtAgain(prompt);
    await prove(handle, first);
    await eventually(async () => expect((await handle.query<Progress>('progress')).usage.total).toBe(16));
    fail(world.bought(handle)[1], 'IMAGE_GENERATION_INVALID_INPUT');
    const { details } = await world.failureOf<FailureDetails>(handle);
    release();
    await resetRun(world.client, handle.workflowId);
    const again: Generation = world.client.workflow.getHandle(handle.workflowId);
    const { taskId, charged } = await again.result();
    expect(taskId).toBe(first);
    const charges = world.charges(handle.workflowId).map(({ credits }) => credits);
    expect(charges).toHaveLength(2);
    expect(details.charged.total + charged.total).toBe(charges.reduce((sum, credits) => sum + credits));
  });

  it('is not proven by what the run’s next submit has bought: that counts once', async () => {
    const prompt = 'proof by the next';
    const release = world.hold(prompt, 2);
    const { handle } = await boughtAgain(prompt);
    const claimId = await claimOfFirst(handle);
    const [, taskId = ''] = world.bought(handle);
    const usage = { total: 8, subscription: 0, permanent: 8 };
    const proof = { claimId, taskId, usage, outcome: 'completed' };
    await handle.signal('submitProven', proof);
    expect((await handle.query<Progress>('progress')).usage.total).toBe(8);
    release();
    const result = await handle.result();
    expect(result.usage.total).toBe(8);
    expect(result.attempts).toMatchObject([{ taskId: null, outcome: 'unknown' }, { taskId }]);
  });

  it('is told after the run has ended, too', async () => {
    const release = world.hold('later proof', 2);
    const { handle, first } = await boughtAgain('later proof');
    release();
    await handle.result();
    await world.tellOfCreation(first, { prompt: 'later proof' });
    await eventually(() =>
      expect(world.warnings).toContainEqual({
        message: expect.stringContaining('was charged after all'),
        fields: expect.objectContaining({ workflowId: handle.workflowId, taskId: first, model: 'image-l' }),
      }),
    );
  });

  it('is nothing that a run takes from anybody in any words', async () => {
    const release = world.hold('no proof', 2);
    const { handle } = await boughtAgain('no proof');
    for (const proof of [undefined, null, 7, {}, { claimId: {} }, { claimId: 'x', taskId: 't', usage: 1 }])
      await handle.signal('submitProven', proof);
    release();
    expect((await handle.result()).attempts).toMatchObject([{ outcome: 'unknown', taskId: null }, {}]);
  });
});
