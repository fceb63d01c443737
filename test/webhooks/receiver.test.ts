import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { VisibilityBusyError } from '../../src/temporal/event-sink.ts';
import { RECEIVER_DEFAULTS } from '../../src/webhooks/receiver-config.ts';
import { parseSecret } from '../../src/webhooks/signature/secrets.ts';
import { until } from '../emulator/until.ts';
import { RunningReceiver } from './running-receiver.ts';
import { delivery, event, legacyHeaders, OTHER_SECRET, SECRET, standardHeaders } from './signed-delivery.ts';

const COMPLETED = event('task.completed', 't1');
/** The path of the other workspace. */
const STUDIO = '/webhooks/studio%20%C3%BC';

describe('a delivery', () => {
  it('of a task that this process submitted is signalled to its workflow and acknowledged', async () => {
    await using receiver = await RunningReceiver.start();
    receiver.submitted('t1', 'generation/a');
    expect(await receiver.deliver(COMPLETED, 'evt_1')).toBe(204);
    expect(receiver.sink.signals).toEqual([
      { workflowId: 'generation/a', event: { webhookId: 'evt_1', type: 'task.completed', taskId: 't1' } },
    ]);
    expect(receiver.sink.queries).toEqual([]);
  });

  it("of a completed task brings all of its files' URLs along, or none; the log has none of them", async () => {
    await using receiver = await RunningReceiver.start();
    receiver.submitted('t1', 'generation/a');
    let count = 0;
    const told = async (artifacts: unknown, type = 'task.completed'): Promise<string[] | undefined> => {
      expect(await receiver.deliver(event(type, 't1', { artifacts }), `evt_${(count += 1)}`)).toBe(204);
      return receiver.sink.signals.at(-1)?.event.artifacts;
    };
    const url = 'https://files.example/a.png?signature=secret';
    const asset = { url: 'https://files.example/ü.png' };
    expect(await told([{ url }, { asset }])).toEqual([url, 'https://files.example/%C3%BC.png']);
    expect(await told([{ url }], 'task.canceled')).toBeUndefined();
    for (const odd of [
      [],
      null,
      {},
      [{ url }, {}],
      [url],
      [{ url: 'file:///etc/passwd' }],
      [{ url: 'oops' }],
    ])
      expect(await told(odd)).toBeUndefined();
    expect(await told(Array.from({ length: 9 }, () => ({ url })))).toBeUndefined();
    expect(await told([{ url: `https://files.example/${'a'.repeat(3_000)}` }])).toBeUndefined();
    expect(receiver.logged.join('')).toContain('event routed');
    expect(receiver.logged.join('')).not.toContain('secret');
  });

  it('of doctor is answered with what has come, and is no event itself', async () => {
    const heard: string[] = [];
    await using receiver = await RunningReceiver.start(
      {},
      { onEvent: (workspace) => void heard.push(workspace) },
    );
    receiver.submitted('t1', 'generation/a');
    await receiver.deliver(COMPLETED);
    expect(heard).toEqual(['default']);
    const signed = delivery({ event: 'darkroom.check', nonce: 'n' });
    const ask = async (body: Buffer): Promise<Response> =>
      await fetch(`${receiver.url}/webhooks`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...standardHeaders(signed) },
        body: new Uint8Array(body),
      });
    const told = {
      nonce: 'n',
      events: { total: 1, created: 0, ended: 1, lastAt: expect.stringMatching(/^20.*Z$/) as unknown },
    };
    for (let asked = 0; asked < 2; asked += 1) {
      const answer = await ask(signed.body);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual(told);
    }
    expect((await ask(Buffer.from('{"event":"darkroom.check","nonce":"m"}'))).status).toBe(401);
    expect(heard).toEqual(['default']);
  });

  it('of another process finds its workflow in visibility, even when it shows up late', async () => {
    await using receiver = await RunningReceiver.start({
      holds: { created: 200, terminal: 20_000, max: 100 },
    });
    receiver.sink.onFind = () => {
      if (receiver.sink.queries.length === 3) receiver.sink.show('t1', 'generation/b');
    };
    expect(await receiver.deliver(COMPLETED)).toBe(204);
    expect(receiver.sink.signals.map(({ workflowId }) => workflowId)).toEqual(['generation/b']);
    expect(receiver.sink.queries.length).toBe(3);
  });

  it('that comes before its own submit was answered goes out as soon as it is', async () => {
    await using receiver = await RunningReceiver.start({
      holds: { created: 200, terminal: 20_000, max: 100 },
    });
    const answer = receiver.deliver(COMPLETED);
    await until(() => receiver.sink.queries.length > 0, 'a look-up');
    receiver.submitted('t1', 'generation/c');
    expect(await answer).toBe(204);
    expect(receiver.sink.signals.map(({ workflowId }) => workflowId)).toEqual(['generation/c']);
  });

  it('of a task that nobody holds is acknowledged and counted', async () => {
    await using receiver = await RunningReceiver.start();
    expect(await receiver.deliver(COMPLETED)).toBe(204);
    expect(receiver.sink.signals).toEqual([]);
    expect(await receiver.metric('darkroom_webhook_unrouted_total')).toEqual([
      'darkroom_webhook_unrouted_total 1',
    ]);
  });

  it('of a task whose submit is still under way in this process waits for its answer', async () => {
    await using receiver = await RunningReceiver.start({
      holds: { created: 200, terminal: 2_000, max: 100 },
    });
    const ended = receiver.routes.submitting('default');
    const completed_at = '2026-01-01T00:01:00.000Z';
    const delivered = receiver.deliver(event('task.completed', 't1', { completed_at }));
    await sleep(2_500); // longer than its hold
    ended();
    receiver.submitted('t1', 'generation/slow');
    expect(await delivered).toBe(204);
    expect(receiver.sink.signals).toMatchObject([{ workflowId: 'generation/slow' }]);
    expect(receiver.sink.unclaimedTasks).toEqual([]);
  });

  it('of a task that nobody holds is evidence of it: its creation may have gone unheard', async () => {
    await using receiver = await RunningReceiver.start();
    const from = Date.now();
    const completed_at = '2026-01-01T00:01:00.000Z'; // a minute after its creation
    expect(await receiver.deliver(event('task.completed', 't1', { completed_at }))).toBe(204);
    const [handedOver] = receiver.sink.unclaimedTasks;
    expect(handedOver).toMatchObject({
      workspace: 'default',
      owner: undefined,
      task: { taskId: 't1', input: { prompt: 'a lighthouse at dawn', n: 1 } },
    });
    const { receivedAt = 0 } = handedOver?.task ?? {};
    expect(receivedAt).toBeGreaterThanOrEqual(from - 60_000);
    expect(receivedAt).toBeLessThanOrEqual(Date.now() - 60_000);
  });

  it('to a closed workflow, or to one that has had all its signals, is acknowledged', async () => {
    await using receiver = await RunningReceiver.start({ signalsPerWorkflow: 2 });
    receiver.submitted('t1', 'generation/a');
    receiver.sink.onSignal = () => (receiver.sink.signals.length === 1 ? 'closed' : 'exhausted');
    for (const id of ['evt_1', 'evt_2', 'evt_3']) expect(await receiver.deliver(COMPLETED, id)).toBe(204);
    expect(receiver.sink.signals).toHaveLength(2);
  });

  it('is answered 503 when Temporal does not take it, and taken when it comes again', async () => {
    await using receiver = await RunningReceiver.start();
    receiver.submitted('t1', 'generation/a');
    receiver.sink.onSignal = () => {
      throw new Error('14 UNAVAILABLE');
    };
    const signed = delivery(COMPLETED);
    const refused = await fetch(`${receiver.url}/webhooks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...standardHeaders(signed) },
      body: new Uint8Array(signed.body),
    });
    expect([refused.status, refused.headers.get('retry-after'), await refused.text()]).toEqual([
      503,
      '2',
      '',
    ]);
    receiver.sink.onSignal = () => 'taken';
    expect(await receiver.deliver(COMPLETED, signed.id)).toBe(204);
    expect(receiver.sink.signals).toHaveLength(2);
  });

  it('of a task that nobody holds is answered 503 when it cannot be handed over, and taken when it comes again', async () => {
    await using receiver = await RunningReceiver.start();
    receiver.sink.onUnclaimed = () => {
      throw new Error('14 UNAVAILABLE');
    };
    const completed = event('task.completed', 't1', { completed_at: '2026-01-01T00:01:00.000Z' });
    expect(await receiver.deliver(completed, 'evt_1')).toBe(503);
    receiver.sink.onUnclaimed = () => {};
    expect(await receiver.deliver(completed, 'evt_1')).toBe(204);
    expect(receiver.sink.unclaimedTasks.map(({ task }) => task.taskId)).toEqual(['t1']);
  });

  it('is answered 503 when visibility would be needed and does not answer', async () => {
    await using receiver = await RunningReceiver.start();
    receiver.sink.onFind = () => {
      throw new VisibilityBusyError('8 RESOURCE_EXHAUSTED');
    };
    expect(await receiver.deliver(COMPLETED)).toBe(503);
    expect(await receiver.metric('darkroom_webhook_visibility_queries_total{result="busy"}')).toHaveLength(1);
  });

  it('with an id that was acknowledged is handed over only once', async () => {
    await using receiver = await RunningReceiver.start();
    receiver.submitted('t1', 'generation/a');
    for (let i = 0; i < 3; i++) expect(await receiver.deliver(COMPLETED, 'evt_1')).toBe(204);
    expect(receiver.sink.signals).toHaveLength(1);
    expect(await receiver.metric('darkroom_webhook_duplicates_total')).toEqual([
      'darkroom_webhook_duplicates_total 2',
    ]);
  });

  it('is known by its id for 24 hours', async () => {
    await using receiver = await RunningReceiver.start();
    receiver.submitted('t1', 'generation/a');
    const afterHours = async (hours: number): Promise<number> => {
      receiver.ahead = hours * 60 * 60_000;
      expect(await receiver.deliver(COMPLETED, 'evt_1')).toBe(204);
      return receiver.sink.signals.length;
    };
    expect([await afterHours(0), await afterHours(24), await afterHours(26)]).toEqual([1, 1, 2]);
  });

  it('is known by its id while it is among as many of the latest as the configuration says, or twice as many', async () => {
    await using receiver = await RunningReceiver.start({ rememberedIds: 3 });
    receiver.submitted('t1', 'generation/a');
    for (const id of ['evt_1', 'evt_2', 'evt_3', 'evt_1', 'evt_4', 'evt_2', 'evt_5', 'evt_6', 'evt_1']) {
      expect(await receiver.deliver(COMPLETED, id)).toBe(204);
    }
    const handedOver = receiver.sink.signals.map(({ event }) => event.webhookId);
    expect(handedOver).toEqual(['evt_1', 'evt_2', 'evt_3', 'evt_4', 'evt_5', 'evt_6', 'evt_1']);
  });

  it('shares the signal under way with others of the same kind for the same task', async () => {
    await using receiver = await RunningReceiver.start();
    receiver.submitted('t1', 'generation/a');
    const release = Promise.withResolvers<'taken'>();
    receiver.sink.onSignal = () => release.promise;
    const answers = Array.from({ length: 20 }, () => receiver.deliver(COMPLETED));
    await until(async () =>
      (await receiver.metric('darkroom_webhook_signals_shared_total'))[0]?.endsWith(' 19'),
    );
    release.resolve('taken');
    expect(new Set(await Promise.all(answers))).toEqual(new Set([204]));
    expect(receiver.sink.signals).toHaveLength(1);
  });

  it('of an unknown type or for a test is acknowledged and goes nowhere', async () => {
    await using receiver = await RunningReceiver.start();
    expect(await receiver.deliver({ event: 'task.exploded', extra: 1 })).toBe(204);
    expect(await receiver.deliver({ event: 'ping', test: true })).toBe(204);
    expect([receiver.sink.signals, receiver.sink.queries]).toEqual([[], []]);
    expect(await receiver.metric('darkroom_webhook_outcomes_total{outcome="unknown type"}')).toEqual([
      'darkroom_webhook_outcomes_total{outcome="unknown type"} 2',
    ]);
  });
});

describe('task.created', () => {
  it('is dropped when Temporal shows who holds the task', async () => {
    await using receiver = await RunningReceiver.start();
    receiver.sink.show('t1', 'generation/a');
    expect(await receiver.deliver(event('task.created', 't1'))).toBe(204);
    expect(receiver.sink.unclaimedTasks).toEqual([]);
  });

  it('waits for the submits of this process that are under way: the answer with its task may be slow', async () => {
    await using receiver = await RunningReceiver.start({
      holds: { created: 2_000, terminal: 300, max: 100 },
    });
    const task = { workspace: 'default', taskId: 't1' };
    const elsewhere = receiver.routes.submitting('studio ü');
    const ended = receiver.routes.submitting('default');
    const delivered = receiver.deliver(event('task.created', 't1'));
    const foreign = receiver.deliver(event('task.created', 't2'));
    await sleep(2_500); // longer than its hold
    expect(receiver.sink.unclaimedTasks).toEqual([]);
    receiver.routes.register(task, 'generation/slow');
    ended();
    receiver.routes.confirm(task, 'generation/slow');
    expect([await delivered, await foreign]).toEqual([204, 204]);
    expect(receiver.sink.unclaimedTasks).toMatchObject([{ task: { taskId: 't2' } }]);
    elsewhere();
  });

  it('waits its whole hold for a workflow that tells late that it holds the task', async () => {
    await using receiver = await RunningReceiver.start({
      holds: { created: 8_000, terminal: 300, max: 100 },
    });
    const delivered = receiver.deliver(event('task.created', 't1'));
    await until(() => receiver.sink.queries.length > 0, 'the first look-up');
    await sleep(500); // in which it would be handed over
    receiver.routes.confirm({ workspace: 'default', taskId: 't1' }, 'generation/late');
    expect(await delivered).toBe(204);
    expect(receiver.sink.unclaimedTasks).toEqual([]);
  });

  it('is handed over when a submit takes too long', async () => {
    await using receiver = await RunningReceiver.start();
    receiver.routes.submitting('default');
    expect(await receiver.deliver(event('task.created', 't1'))).toBe(204);
    expect(receiver.sink.unclaimedTasks).toMatchObject([{ task: { taskId: 't1' } }]);
  });

  it('is dropped without a look-up when the workflow that holds the task runs in this process', async () => {
    await using receiver = await RunningReceiver.start({
      holds: { created: 3_000, terminal: 300, max: 100 },
    });
    receiver.routes.confirm({ workspace: 'default', taskId: 't1' }, 'generation/a');
    expect(await receiver.deliver(event('task.created', 't1'))).toBe(204);
    const early = receiver.deliver(event('task.created', 't2'));
    await until(async () => (await receiver.metric('darkroom_webhook_held_events'))[0]?.endsWith(' 1'));
    receiver.submitted('t2', 'generation/b');
    receiver.routes.confirm({ workspace: 'default', taskId: 't2' }, 'generation/b');
    expect(await early).toBe(204);
    expect(receiver.sink.unclaimedTasks).toEqual([]);
    expect(receiver.sink.queries).toEqual([]);
  });

  it('of tasks that other processes submitted are looked up together', async () => {
    const visibility = { perSecond: 200, burst: 10, idsPerQuery: 200, gather: 1_000 };
    await using receiver = await RunningReceiver.start({ visibility });
    const ids = Array.from({ length: 20 }, (_, i) => `t${i}`);
    for (const id of ids) receiver.sink.show(id, `generation/${id}`);
    await Promise.all(ids.map((id) => receiver.deliver(event('task.created', id))));
    // One, unless the machine is so busy that they do not come within one second.
    expect(receiver.sink.queries.length).toBeLessThan(ids.length / 2);
    expect(receiver.sink.unclaimedTasks).toEqual([]);
  });

  it('is handed to unclaimed-tasks after the hold, with input and times', async () => {
    await using receiver = await RunningReceiver.start();
    const before = Date.now();
    expect(await receiver.deliver(event('task.created', 't1'), 'evt_1')).toBe(204);
    expect(receiver.sink.queries).toHaveLength(2); // early in the hold, and at its end
    expect(receiver.sink.unclaimedTasks).toEqual([
      {
        workspace: 'default',
        owner: undefined,
        task: {
          taskId: 't1',
          webhookId: 'evt_1',
          input: { prompt: 'a lighthouse at dawn', n: 1 },
          createdAt: '2026-01-01T00:00:00.000Z',
          recordsBehind: 0,
          receivedAt: expect.any(Number),
        },
      },
    ]);
    const { receivedAt = 0 } = receiver.sink.unclaimedTasks[0]?.task ?? {};
    expect(receivedAt).toBeGreaterThanOrEqual(before);
    expect(receivedAt).toBeLessThanOrEqual(Date.now());
  });

  it('is dated by how far the clock of records is behind, as this process knows of a task that it has submitted', async () => {
    await using receiver = await RunningReceiver.start();
    const began = Date.parse('2026-01-01T00:01:00.000Z');
    receiver.recordsClock.submitted({ workspace: 'default', taskId: 'own' }, began);
    receiver.submitted('own', 'generation/a');
    receiver.sink.show('own', 'generation/a');
    await receiver.deliver(event('task.created', 'own')); // at 00:00 by its record
    await receiver.deliver(event('task.created', 't1'));
    expect(receiver.sink.unclaimedTasks.map(({ task }) => [task.taskId, task.recordsBehind])).toEqual([
      ['t1', 60_000],
    ]);
  });

  it('names the owner that only this process knows, whose workflow may never have heard of it', async () => {
    await using receiver = await RunningReceiver.start();
    receiver.submitted('t1', 'generation/a');
    expect(await receiver.deliver(event('task.created', 't1'))).toBe(204);
    expect(receiver.sink.unclaimedTasks.map(({ owner }) => owner)).toEqual(['generation/a']);
  });

  it('is handed over as well when visibility does not answer', async () => {
    await using receiver = await RunningReceiver.start();
    receiver.sink.onFind = () => {
      throw new Error('14 UNAVAILABLE');
    };
    expect(await receiver.deliver(event('task.created', 't1'))).toBe(204);
    expect(receiver.sink.unclaimedTasks).toHaveLength(1);
  });

  it('is answered 503 when it cannot be handed over; its duplicates share that', async () => {
    await using receiver = await RunningReceiver.start();
    receiver.sink.onUnclaimed = () => {
      throw new Error('14 UNAVAILABLE');
    };
    const answers = ['evt_1', 'evt_1'].map((id) => receiver.deliver(event('task.created', 't1'), id));
    expect(await Promise.all(answers)).toEqual([503, 503]);
    receiver.sink.onUnclaimed = () => {};
    expect(await receiver.deliver(event('task.created', 't1'), 'evt_1')).toBe(204);
  });

  it('is held in bounded numbers: beyond, the sender is told to come back', async () => {
    await using receiver = await RunningReceiver.start({ holds: { created: 400, terminal: 400, max: 5 } });
    const statuses = await Promise.all(
      Array.from({ length: 8 }, (_, i) => receiver.deliver(event('task.created', `t${i}`))),
    );
    expect(statuses.toSorted()).toEqual([204, 204, 204, 204, 204, 503, 503, 503]);
    expect(await receiver.metric('darkroom_webhook_held_events')).toEqual(['darkroom_webhook_held_events 0']);
  });
});

describe('task.started', () => {
  const TIMES = { created_at: '2026-01-01T00:00:00.000Z', started_at: '2026-01-01T00:00:05.000Z' };

  it('goes nowhere where task.created of that task was taken, or is being taken', async () => {
    await using receiver = await RunningReceiver.start();
    receiver.sink.show('t1', 'generation/a');
    expect(await receiver.deliver(event('task.created', 't1'))).toBe(204);
    expect(await receiver.deliver(event('task.created', 't2'))).toBe(204);
    const { length } = receiver.sink.queries;
    expect(await receiver.deliver(event('task.started', 't1', TIMES))).toBe(204);
    expect(await receiver.deliver(event('task.started', 't2', TIMES))).toBe(204);
    expect(receiver.sink.queries).toHaveLength(length);
    expect(receiver.sink.unclaimedTasks).toHaveLength(1);
    const release = Promise.withResolvers<void>();
    receiver.sink.onFind = () => release.promise;
    const created = receiver.deliver(event('task.created', 't3'));
    await until(() => receiver.sink.queries.length > length, 'a look-up');
    expect(await receiver.deliver(event('task.started', 't3', TIMES))).toBe(204);
    release.resolve();
    expect(await created).toBe(204);
    expect(receiver.sink.unclaimedTasks.map(({ task }) => task.taskId)).toEqual(['t2', 't3']);
  });

  it('counts as task.created where that one was lost, with the age that the task had', async () => {
    await using receiver = await RunningReceiver.start();
    const from = Date.now();
    expect(await receiver.deliver(event('task.started', 't1', TIMES), 'evt_1')).toBe(204);
    const [handedOver] = receiver.sink.unclaimedTasks;
    expect(handedOver).toMatchObject({
      workspace: 'default',
      task: { taskId: 't1', webhookId: 'evt_1', createdAt: TIMES.created_at, input: { n: 1 } },
    });
    const { receivedAt = 0 } = handedOver?.task ?? {};
    expect(receivedAt).toBeGreaterThanOrEqual(from - 5_000);
    expect(receivedAt).toBeLessThanOrEqual(Date.now() - 5_000);
    expect(await receiver.deliver(event('task.created', 't1'))).toBe(204); // out of order
    expect(receiver.sink.unclaimedTasks).toHaveLength(1);
  });

  it('that does not tell when the task was created counts from its arrival', async () => {
    await using receiver = await RunningReceiver.start();
    const from = Date.now();
    expect(await receiver.deliver(event('task.started', 't1', { ...TIMES, created_at: null }))).toBe(204);
    expect(receiver.sink.unclaimedTasks[0]?.task.receivedAt).toBeGreaterThanOrEqual(from);
  });

  it("is looked up like task.created: a task that a workflow holds is nobody else's", async () => {
    await using receiver = await RunningReceiver.start();
    receiver.sink.show('t1', 'generation/a');
    expect(await receiver.deliver(event('task.started', 't1', TIMES))).toBe(204);
    expect(receiver.sink.queries).toHaveLength(1);
    expect(receiver.sink.unclaimedTasks).toEqual([]);
  });

  it('is taken when task.created could not be handed over', async () => {
    await using receiver = await RunningReceiver.start();
    receiver.sink.onUnclaimed = () => {
      throw new Error('14 UNAVAILABLE');
    };
    expect(await receiver.deliver(event('task.created', 't1'))).toBe(503);
    receiver.sink.onUnclaimed = () => {};
    expect(await receiver.deliver(event('task.started', 't1', TIMES))).toBe(204);
    expect(receiver.sink.unclaimedTasks).toHaveLength(1);
  });
});

describe('those who wait for events', () => {
  it('are told when the receiver starts, because it was away before', async () => {
    await using receiver = await RunningReceiver.start();
    await until(() => receiver.sink.delayedIn.length === 2, 'a report for each workspace');
    expect(receiver.sink.delayedIn.toSorted()).toEqual(['default', 'studio ü']);
  });

  it('are told as soon as Temporal can be reached that events had to be refused meanwhile', async () => {
    await using receiver = await RunningReceiver.start();
    await until(() => receiver.sink.delayedIn.length === 2, 'the reports of the start');
    receiver.sink.onUnclaimed = () => {
      throw new Error('14 UNAVAILABLE');
    };
    for (const id of ['t1', 't2', 't3']) expect(await receiver.deliver(event('task.created', id))).toBe(503);
    await until(
      () => receiver.logged.some((line) => line.includes('claims could not be told of late events')),
      'a report that fails',
    );
    expect(receiver.sink.delayedIn).toHaveLength(2);
    receiver.sink.onUnclaimed = () => {};
    await until(() => receiver.sink.delayedIn.length > 2, 'the report of the refusals');
    expect(receiver.sink.delayedIn.slice(2)).toEqual(['default']);
  });
});

describe('look-ups in visibility', () => {
  it('are shared by many events and keep their pace', async () => {
    await using receiver = await RunningReceiver.start({
      visibility: { perSecond: 20, burst: 1, idsPerQuery: 50, gather: 5 },
      holds: { created: 200, terminal: 20_000, max: 1_000 },
    });
    for (let i = 0; i < 200; i++) receiver.sink.show(`t${i}`, `generation/${i}`);
    const start = performance.now();
    const answers = Array.from({ length: 200 }, (_, i) => receiver.deliver(event('task.completed', `t${i}`)));
    expect(new Set(await Promise.all(answers))).toEqual(new Set([204]));
    const seconds = (performance.now() - start) / 1_000;
    expect(receiver.sink.signals).toHaveLength(200);
    const most = Math.max(...receiver.sink.queries.map((ids) => ids.length));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(50);
    expect(receiver.sink.queries.length).toBeLessThanOrEqual(1 + Math.ceil(seconds * 20));
  });

  it('go on more slowly when the server refuses, until it does not', async () => {
    await using receiver = await RunningReceiver.start({
      visibility: { perSecond: 100, burst: 5, idsPerQuery: 200, gather: 5 },
      holds: { created: 200, terminal: 1_500, max: 100 },
    });
    receiver.sink.show('t1', 'generation/a');
    receiver.sink.onFind = () => {
      if (receiver.sink.queries.length <= 3) throw new VisibilityBusyError('8 RESOURCE_EXHAUSTED');
    };
    expect(await receiver.deliver(COMPLETED)).toBe(204);
    expect(receiver.sink.signals).toHaveLength(1);
    expect(receiver.sink.queries).toHaveLength(4);
  });
});

describe('workspaces', () => {
  it('have a path, secrets and a stance on legacy signatures of their own', async () => {
    await using receiver = await RunningReceiver.start();
    const signed = delivery({ event: 'ping' }, { secret: OTHER_SECRET });
    expect(await receiver.post(STUDIO, standardHeaders(signed), signed.body)).toBe(204);
    expect(await receiver.post(STUDIO, legacyHeaders(signed, 'ping'), signed.body)).toBe(204);
    expect(await receiver.post('/webhooks', standardHeaders(signed), signed.body)).toBe(401);
    expect(await receiver.post('/webhooks/default', standardHeaders(signed), signed.body)).toBe(401);
    const ours = delivery({ event: 'ping' });
    expect(await receiver.post('/webhooks', legacyHeaders(ours), ours.body)).toBe(401);
  });

  it('do not share ids: one cannot make an event of the other look like a duplicate', async () => {
    await using receiver = await RunningReceiver.start();
    receiver.submitted('t1', 'generation/a');
    const theirs = delivery({ event: 'ping' }, { id: 'evt_1', secret: OTHER_SECRET });
    expect(await receiver.post(STUDIO, standardHeaders(theirs), theirs.body)).toBe(204);
    expect(await receiver.deliver(COMPLETED, 'evt_1')).toBe(204);
    expect(receiver.sink.signals).toHaveLength(1);
  });

  it("are walls: an event that one signed for another's task reaches no workflow of the other", async () => {
    await using receiver = await RunningReceiver.start();
    receiver.submitted('t1', 'generation/a');
    receiver.sink.show('t2', 'generation/b');
    const completed_at = '2026-01-01T00:01:00.000Z';
    for (const taskId of ['t1', 't2', 't1']) {
      const forged = delivery(event('task.completed', taskId, { completed_at }), { secret: OTHER_SECRET });
      expect(await receiver.post(STUDIO, standardHeaders(forged), forged.body)).toBe(204);
    }
    expect(receiver.sink.signals).toEqual([]);
    const handedOver = receiver.sink.unclaimedTasks.map(({ workspace, owner }) => [workspace, owner]);
    expect(handedOver).toEqual(Array.from({ length: 3 }, () => ['studio ü', undefined]));
  });

  it("are walls: one's task does not hide another's of the same id", async () => {
    await using receiver = await RunningReceiver.start();
    receiver.submitted('t1', 'generation/a');
    receiver.submitted('t1', 'generation/theirs', 'studio ü');
    receiver.sink.show('t2', 'generation/b');
    receiver.sink.show('t2', 'generation/theirs', 'studio ü');
    for (const taskId of ['t1', 't2']) {
      expect(await receiver.deliver(event('task.completed', taskId))).toBe(204);
      const theirs = delivery(event('task.completed', taskId), { secret: OTHER_SECRET });
      expect(await receiver.post(STUDIO, standardHeaders(theirs), theirs.body)).toBe(204);
    }
    expect(receiver.sink.signals.map(({ workflowId }) => workflowId)).toEqual([
      'generation/a',
      'generation/theirs',
      'generation/b',
      'generation/theirs',
    ]);
  });

  it('with legacy signatures, which do not cover the id, know a duplicate by what is signed as well', async () => {
    await using receiver = await RunningReceiver.start();
    receiver.submitted('t1', 'generation/a', 'studio ü');
    const seen = delivery({ event: 'ping' }, { secret: OTHER_SECRET });
    const stolen = { ...legacyHeaders(seen), 'X-Webhook-Event-Id': 'evt_next' };
    expect(await receiver.post(STUDIO, stolen, seen.body)).toBe(204);
    const next = delivery(COMPLETED, { secret: OTHER_SECRET, id: 'evt_next' });
    for (let i = 0; i < 2; i++) expect(await receiver.post(STUDIO, legacyHeaders(next), next.body)).toBe(204);
    expect(receiver.sink.signals).toHaveLength(1);
  });
});

describe('a row of refusals', () => {
  const inARow = (receiver: RunningReceiver): string[] =>
    receiver.logged.filter((line) => line.includes('in a row'));

  /** POSTs well-signed events under such an id. */
  async function deliverAll(receiver: RunningReceiver, count: number, id: string): Promise<number[]> {
    const statuses: number[] = [];
    for (let i = 0; i < count; i++) statuses.push(await receiver.deliver({ event: 'ping' }, id));
    return statuses;
  }

  it('is told of once, at the tenth, with its reason and the setting that would take such deliveries', async () => {
    await using receiver = await RunningReceiver.start();
    expect(await deliverAll(receiver, 9, 'evt.1')).toEqual(Array(9).fill(401));
    expect(inARow(receiver)).toEqual([]);
    await deliverAll(receiver, 20, 'evt.1');
    expect(inARow(receiver)).toHaveLength(1);
    expect(JSON.parse(inARow(receiver)[0] ?? '')).toMatchObject({
      workspace: 'default',
      reason: 'signature unusual-id',
      advice: 'workspaces.default.webhook.ids: "any" in DARKROOM_CONFIG takes them',
    });
    expect(await receiver.metric('darkroom_webhook_refused_total')).toEqual([
      'darkroom_webhook_refused_total{reason="signature unusual-id"} 29',
    ]);
  });

  it('ends with a delivery that is accepted', async () => {
    await using receiver = await RunningReceiver.start();
    for (let i = 0; i < 3; i++) {
      await deliverAll(receiver, 9, 'evt.1');
      expect(await deliverAll(receiver, 1, `evt_${i}`)).toEqual([204]);
    }
    expect(inARow(receiver)).toEqual([]);
  });

  it('is one for each reason and workspace: what others send in between does not hide it', async () => {
    await using receiver = await RunningReceiver.start();
    for (let i = 0; i < 10; i++) {
      await deliverAll(receiver, 1, 'evt.1');
      if (i < 5) await receiver.post('/webhooks', {}, 'null');
      if (i < 5) await receiver.post(STUDIO, {}, 'null');
    }
    expect(inARow(receiver).map((line) => JSON.parse(line).reason)).toEqual(['signature unusual-id']);
  });

  it('ends where the setting is made that was named', async () => {
    const hook = { secrets: [parseSecret(SECRET)], legacy: 'refuse', legacyHeaders: 'ignore' } as const;
    await using receiver = await RunningReceiver.start({ workspaces: new Map([['default', hook]]) });
    const signed = delivery({ event: 'ping' });
    const other = legacyHeaders({ ...signed, id: 'evt_other' }, 'task.completed');
    expect(await receiver.post('/webhooks', { ...standardHeaders(signed), ...other }, signed.body)).toBe(204);
  });
});

describe('operations', () => {
  it('readiness follows Temporal, health does not', async () => {
    await using receiver = await RunningReceiver.start();
    const status = async (path: string): Promise<number> => (await fetch(`${receiver.url}${path}`)).status;
    expect([await status('/healthz'), await status('/readyz')]).toEqual([200, 200]);
    expect(await status('/healthz?from=balancer')).toBe(200); // as for deliveries, a query changes nothing
    expect(await status('/constructor')).toBe(404);
    receiver.sink.isReachable = false;
    await until(async () => (await status('/readyz')) === 503, 'unreadiness');
    expect(await status('/healthz')).toBe(200);
  });

  it('show no metrics on the port that strangers reach', async () => {
    await using receiver = await RunningReceiver.start();
    expect((await fetch(`${receiver.url}/metrics`)).status).toBe(404);
    expect(await receiver.metric('darkroom_webhook_received_total')).toEqual([
      'darkroom_webhook_received_total 0',
    ]);
  });

  it('have a port of their own where it is said so: then this one knows nothing of them', async () => {
    await using receiver = await RunningReceiver.start({}, { operationsElsewhere: true });
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      expect((await fetch(`${receiver.url}${path}`)).status).toBe(404);
    }
    expect(await receiver.deliver({ event: 'ping' })).toBe(204);
  });

  it('closing finishes what is in flight and then takes nothing more', async () => {
    const receiver = await RunningReceiver.start();
    const held = receiver.deliver(event('task.created', 't1'));
    await until(async () => (await receiver.metric('darkroom_webhook_held_events'))[0]?.endsWith(' 1'));
    const closing = receiver.receiver.close();
    expect(await held).toBe(204);
    await closing;
    expect(receiver.sink.unclaimedTasks).toHaveLength(1);
    await expect(fetch(`${receiver.url}/healthz`)).rejects.toThrow('fetch failed');
  });

  it('a connection in use while it closes is told so, and finds the receiver unready', async () => {
    const receiver = await RunningReceiver.start({
      holds: { created: 1_000, terminal: 300, max: 100 },
      timeouts: { ...RECEIVER_DEFAULTS.timeouts, drain: 600_000 }, // this test does not wait for that
    });
    const { port } = receiver;
    const held = receiver.deliver(event('task.created', 't1'));
    await until(async () => (await receiver.metric('darkroom_webhook_held_events'))[0]?.endsWith(' 1'));
    const closing = receiver.receiver.close();
    await held;
    await closing;
    await expect(fetch(`http://127.0.0.1:${port}/readyz`)).rejects.toThrow('fetch failed');
  });

  it('logs name tasks, workflows and webhooks, and nothing of the payload', async () => {
    await using receiver = await RunningReceiver.start();
    receiver.submitted('t1', 'generation/a');
    await receiver.deliver(COMPLETED, 'evt_1');
    await receiver.deliver(event('task.created', 't2'));
    await receiver.deliver(event('task.failed', 't3'));
    await receiver.post('/webhooks', {}, JSON.stringify(COMPLETED));
    await sleep(0);
    const log = receiver.logged.join('\n');
    for (const told of ['t1', 'generation/a', 'evt_1', 't2', 't3']) expect(log).toContain(told);
    for (const personal of ['jane', 'Jane', 'lighthouse', '127.0.0.1', 'v1,'])
      expect(log).not.toContain(personal);
  });
});
