import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PipelineProgress } from '../../../src/contract/pipeline.ts';
import { eventually, FAST, openWorld, type World } from '../world.ts';
import { failTasks, large, still } from './steps.ts';

/** Parked until somebody says so: nothing looks at the balance within a test. */
const PARKED = { ...FAST, retries: { INSUFFICIENT_CREDITS: { initial: '1h', window: '1d' } } };

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

function refuseOnce(promptIncludes: string): void {
  const fault = { kind: 'error', code: 'INSUFFICIENT_CREDITS' } as const;
  world.fault({ on: 'submit', match: { promptIncludes }, times: 1, fault });
}

async function searchedBy(workflowId: string): Promise<Record<string, unknown>> {
  const { searchAttributes } = await world.client.workflow.getHandle(workflowId).describe();
  return Object.fromEntries(
    ['DarkroomState', 'DarkroomModel', 'DarkroomWorkspace'].map((name) => [
      name,
      searchAttributes[name]?.[0] ?? null,
    ]),
  );
}

describe('a pipeline is found', () => {
  it('by its workspace and its first model from the start, and by nothing else once it is done', async () => {
    const handle = await world.pipeline({ policy: FAST, steps: { only: still('found') } });
    await handle.result();
    expect(await searchedBy(handle.workflowId)).toEqual({
      DarkroomState: null,
      DarkroomModel: 'image-l',
      DarkroomWorkspace: 'default',
    });
    const details = await world.details(handle);
    expect(details).toContain('**Completed** — 1 of 1 steps done');
    expect(details).toMatch(/\| \[only\]\(\S+only\)\W+ completed\W+ 8\W+ image.l \|/);
    expect(details).toContain('Credits: **8**');
  });

  it('by the same where it is refused, as far as the request has them', async () => {
    const refused = [
      { steps: { first: still('refused'), second: large({ $from: 'nowhere' }) } },
      { steps: { first: { model: 'image-x', input: {} } }, workspace: 'nowhere' },
      { steps: { first: { model: 'x'.repeat(5_000), input: {} } }, workspace: 'y'.repeat(5_000) },
    ];
    const found = refused.map(async (request) => {
      const handle = await world.pipeline(request);
      expect(await world.failureOf(handle)).toMatchObject({ type: 'INVALID_REQUEST' });
      return await searchedBy(handle.workflowId);
    });
    expect(await Promise.all(found)).toEqual([
      { DarkroomState: null, DarkroomModel: 'image-l', DarkroomWorkspace: 'default' },
      { DarkroomState: null, DarkroomModel: 'image-x', DarkroomWorkspace: 'nowhere' },
      { DarkroomState: null, DarkroomModel: '', DarkroomWorkspace: 'default' },
    ]);
  });

  it('by a step that is parked, for as long as it is', async () => {
    refuseOnce('parked step');
    const steps = { first: large('https://example.com/a.png'), second: still('parked step') };
    const handle = await world.pipeline({ policy: PARKED, steps });
    await eventually(async () =>
      expect(await searchedBy(handle.workflowId)).toMatchObject({
        DarkroomState: 'waiting for credits',
        DarkroomModel: 'image-l',
      }),
    );
    const { steps: shown } = await handle.query<PipelineProgress>('progress');
    expect(shown['second']).toMatchObject({ status: 'running', needs: 'waiting for credits' });
    expect(await world.details(handle)).toMatch(/> step `second`: waiting for credits/);
    await world.client.workflow.getHandle(`${handle.workflowId}/second`).executeUpdate('checkNow');
    await handle.result();
    expect(await searchedBy(handle.workflowId)).toMatchObject({ DarkroomState: null });
  });

  it('by a step that an earlier run has started and that is parked', async () => {
    refuseOnce('taken over');
    const request = { policy: PARKED, steps: { only: still('taken over') } };
    const handle = await world.pipeline(request);
    await eventually(() =>
      world.until(world.client.workflow.getHandle(`${handle.workflowId}/only`), 'parked'),
    );
    await handle.terminate();
    const again = await world.pipeline(request, handle.workflowId);
    await eventually(async () =>
      expect(await searchedBy(handle.workflowId)).toMatchObject({ DarkroomState: 'waiting for credits' }),
    );
    await world.client.workflow.getHandle(`${handle.workflowId}/only`).executeUpdate('checkNow');
    await again.result();
  });

  it('by the model of the step that has failed, and tells its story', async () => {
    failTasks(world, 'broken clip');
    const steps = {
      good: large('https://example.com/a.png'),
      bad: still('broken clip'),
      after: large({ $from: 'bad' }),
    };
    const handle = await world.pipeline({ policy: FAST, steps });
    await world.failureOf(handle);
    expect(await searchedBy(handle.workflowId)).toMatchObject({ DarkroomModel: 'image-l' });
    const details = await world.details(handle);
    for (const words of [
      '**Failed: PIPELINE_FAILED**',
      'step bad failed: IMAGE_GENERATION_INVALID_INPUT',
      '**What to do:**',
      '- **after** skipped: step bad, which this one needs, ended as FAILED',
      'Credits: **12**',
    ])
      expect(details).toContain(words);
  });

  it('by nothing that a stranger says of steps that do not run', async () => {
    const handle = await world.pipeline({
      policy: FAST,
      steps: { only: { ...still('asks'), approve: true } },
    });
    await eventually(async () =>
      expect(await searchedBy(handle.workflowId)).toMatchObject({ DarkroomState: 'waiting for approval' }),
    );
    for (const said of [
      null,
      7,
      {},
      { path: 'other', state: 'needs a decision' },
      { path: 'only', state: {} },
    ])
      await handle.signal('stepState', said);
    await handle.executeUpdate('reject', { args: [{ step: 'only' }] });
    await world.failureOf(handle);
    const { events } = await handle.fetchHistory();
    const upserts = events?.filter((event) => event.upsertWorkflowSearchAttributesEventAttributes != null);
    expect(upserts).toHaveLength(3); // its start, the question, its end
  });
});

it('a step that waits for a person is seen on the first page of the run, by a timer, and told how to answer', async () => {
  failTasks(world, 'held step');
  const steps = { only: { ...still('held step'), onFailure: 'hold' as const } };
  const handle = await world.pipeline({ policy: FAST, steps });
  await eventually(async () =>
    expect((await handle.query<PipelineProgress>('progress')).steps['only']?.status).toBe('held'),
  );
  const { events } = await handle.fetchHistory();
  const summaries = events?.flatMap(({ userMetadata }) =>
    Buffer.from(userMetadata?.summary?.data ?? '').toString(),
  );
  expect(summaries).toContainEqual(
    expect.stringContaining('needs a decision (update \\"resolve\\"): step only'),
  );
  // Longer ones lose their beginning in the UI's timeline.
  const timers = events?.filter(({ timerStartedEventAttributes: timer }) => timer != null) ?? [];
  const lengths = timers.map(({ userMetadata }) => userMetadata?.summary?.data?.length ?? 0);
  expect(Math.max(...lengths)).toBeLessThan(70);
  const details = await world.details(handle);
  expect(details).toContain('- `resolve` with `{"step":"only","action":"retry"}` tries what failed again');
  expect(details).toContain(`decide ${handle.workflowId} retry --step only`);
  await handle.executeUpdate('resolve', { args: [{ step: 'only', action: 'retry' }] });
  expect((await handle.result()).usage.total).toBe(16);
  expect(await world.details(handle)).toContain('Credits: **16**');
});
