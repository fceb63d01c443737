import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Config } from '../../../src/config/worker-config.ts';
import type { WorkspaceConfig } from '../../../src/config/workspaces.ts';
import { decode, type HistoryEvent } from '../../../src/temporal/history.ts';
import { resetRun } from '../../reset-run.ts';
import { eventually, FAST, type Generation, image, openWorld, WEBHOOK_ONLY, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

async function eventsOf(handle: Generation): Promise<HistoryEvent[]> {
  return (await handle.fetchHistory()).events ?? [];
}

/** The activities that its history tells of, with their heartbeat time-outs (ms); local ones by their markers. */
function activitiesIn(events: readonly HistoryEvent[]): [name: string, heartbeat: number | null][] {
  return events.flatMap((event): [string, number | null][] => {
    const { activityTaskScheduledEventAttributes: scheduled, markerRecordedEventAttributes: marker } = event;
    if (scheduled) {
      const { seconds, nanos } = scheduled.heartbeatTimeout ?? {};
      return [[scheduled.activityType?.name ?? '', Number(seconds ?? 0) * 1_000 + (nanos ?? 0) / 1e6]];
    }
    const [told] = decode<[{ activity_type: string }]>(marker?.details?.['data']);
    return told === undefined ? [] : [[told.activity_type, null]];
  });
}

describe('a request is checked within its submit', () => {
  it('so a generation that goes well has 19 events and two activities', async () => {
    // A busy machine hears of the start and of the end of a task in workflow tasks of their own: another run may not.
    await eventually(async () => {
      const handle = await world.start(image('cheap', WEBHOOK_ONLY));
      await handle.result();
      const events = await eventsOf(handle);
      expect(activitiesIn(events)).toEqual([
        ['submitTask', 20_000],
        ['lookAtTask', null],
      ]);
      expect(events.length).toBeLessThanOrEqual(19);
    });
  });

  it('and is not sent where it is wrong', async () => {
    const handle = await world.start({ model: 'image-l', input: { prompt: 7 } });
    expect(await world.failureOf(handle)).toMatchObject({
      type: 'INVALID_REQUEST',
      details: { attempts: [], errors: [{ path: 'input.prompt' }] },
    });
    expect(activitiesIn(await eventsOf(handle))).toEqual([['submitTask', 10_000]]);
    expect(world.charges(handle.workflowId)).toEqual([]);
  });

  it('and once more where its worker was lost before it could tell what that came to', async () => {
    const prompt = 'lost before it was told';
    world.fault({
      on: 'submit',
      match: { promptIncludes: prompt },
      fault: { kind: 'slow', ms: 5_000, when: 'before' },
    });
    const policy = { ...FAST, submit: { timeout: '30s', heartbeat: '1ms' } };
    const handle = await world.start(image(prompt, policy));
    expect((await handle.result()).attempts).toMatchObject([{ outcome: 'completed', adopted: true }]);
    expect(world.charges(handle.workflowId)).toHaveLength(1);
    expect(activitiesIn(await eventsOf(handle)).map(([name]) => name)).toContain('checkGeneration');
  });

  it('and told all the same of one that is refused for good, which waits for credits as the policy says', async () => {
    const match = { promptIncludes: 'never paid' };
    world.fault({ on: 'submit', match, fault: { kind: 'error', code: 'INSUFFICIENT_CREDITS' } });
    const pause = { initial: '50ms', factor: 1, max: '50ms', window: '300ms' };
    const retries = { ...FAST.retries, INSUFFICIENT_CREDITS: pause };
    const failure = await world.fail(image('never paid', { ...FAST, retries }));
    expect(failure).toMatchObject({ details: { attempts: [{ outcome: 'rejected' }] } });
    expect(failure.type).toContain('INSUFFICIENT_CREDITS');
  });
});

describe('a Reset of a run whose request the configuration refuses since', () => {
  let narrowed: World;
  let before: Config['workspaces'];
  beforeAll(async () => {
    const { temporal } = world.config;
    narrowed = await openWorld({ config: { temporal } });
    before = narrowed.config.workspaces;
  });
  afterAll(() => narrowed?.close());

  async function startWith(workspaces: Config['workspaces']): Promise<void> {
    await narrowed.stopWorker();
    narrowed.config.workspaces = workspaces;
    await narrowed.startWorker();
  }

  /** A run that holds a task, Reset after workers with other workspaces have taken over. */
  async function resetWith(change: (workspace: WorkspaceConfig) => [name: string, WorkspaceConfig]) {
    const prompt = `held ${randomUUID()}`;
    const release = narrowed.hold(prompt);
    const policy = { ...FAST, reconcile: { wait: '1s', otherwise: 'resubmit' } };
    const { workflowId } = await narrowed.start(image(prompt, policy));
    const run: Generation = narrowed.client.workflow.getHandle(workflowId);
    const { taskId } = await narrowed.until(run, 'waiting');
    const workspace = before.get('default');
    if (workspace === undefined) throw new Error('every world has it');
    await startWith(new Map([change(workspace)]));
    await resetRun(narrowed.client, workflowId);
    return { run, taskId, release };
  }

  it('takes its task over: only to buy another one it would have to be right', async () => {
    const { run, taskId, release } = await resetWith((workspace) => [
      'default',
      { ...workspace, webhookSecrets: [] },
    ]);
    await narrowed.until(run, 'waiting');
    release();
    expect((await run.result()).attempts).toMatchObject([{ outcome: 'completed', adopted: true, taskId }]);
    expect(narrowed.bought(run)).toEqual([taskId]);
    await startWith(before);
  });

  it('waits for a worker that has the key to it', async () => {
    const { run, taskId, release } = await resetWith((workspace) => ['another', workspace]);
    const trouble = expect.stringContaining('workspace default is not configured') as unknown;
    await eventually(async () => expect(await run.query('progress')).toMatchObject({ trouble }));
    await startWith(before);
    await narrowed.until(run, 'waiting');
    release();
    expect((await run.result()).attempts).toMatchObject([{ outcome: 'completed', adopted: true, taskId }]);
    expect(narrowed.bought(run)).toEqual([taskId]);
  });
});

describe("a configuration with other times for a submit than the policy's defaults", () => {
  let configured: World;
  beforeAll(async () => {
    const { temporal } = world.config;
    configured = await openWorld({ config: { temporal, policy: { submit: { heartbeat: '7s' } } } });
  });
  afterAll(() => configured?.close());
  const { submit: _, ...policy } = FAST;

  it('is followed by the submit: nothing is sent before its times are right', async () => {
    const handle = await configured.start(image('configured', policy));
    expect((await handle.result()).attempts).toMatchObject([{ outcome: 'completed', adopted: false }]);
    expect(configured.charges(handle.workflowId)).toHaveLength(1);
    const submits = activitiesIn(await eventsOf(handle)).filter(([name]) => name === 'submitTask');
    expect(submits).toEqual([
      ['submitTask', 10_000],
      ['submitTask', 7_000],
    ]);
  });

  it('is followed before the earlier run is looked for: one that is not there is the caller’s mistake', async () => {
    const handle = await configured.start({ ...image('mistyped there', policy), earlierRun: randomUUID() });
    expect(await configured.failureOf(handle)).toMatchObject({ type: 'INVALID_REQUEST' });
  });

  it('costs nothing where the request says them itself', async () => {
    const handle = await configured.start(image('says it', { ...policy, submit: FAST.submit }));
    await handle.result();
    const submits = activitiesIn(await eventsOf(handle)).filter(([name]) => name === 'submitTask');
    expect(submits).toEqual([['submitTask', 20_000]]);
  });
});
