import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FailureDetails } from '../../../src/contract/generation.ts';
import { deleteRun, deleteRuns } from '../../delete-run.ts';
import { patience } from '../../patience.ts';
import { resetRun } from '../../reset-run.ts';
import { failTask, hangTasks, latest, still } from '../pipeline/steps.ts';
import { goesOn, openShortWorld } from '../short-histories.ts';
import { FAST, type Generation, image, openWorld, WEBHOOK_ONLY, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openShortWorld(30);
});
afterAll(() => world?.close());

const reconcile = { wait: '100ms', otherwise: 'resubmit' } as const;
const POLLS = { ...FAST, reconcile, polling: { first: '30ms', factor: 1, max: '30ms' } };

/** Loses the answer to its first submit and its task's events, and terminates it while it waits for another task. */
async function twoBought(at: World, prompt: string): Promise<TwoBought> {
  at.loseAnswer(prompt);
  at.loseWebhooks(prompt);
  at.hold(prompt, 2);
  const first = await at.start(image(prompt, { ...WEBHOOK_ONLY, reconcile }));
  await at.until(first, 'waiting');
  const [lost = '', held = ''] = at.bought(first);
  const { runId } = await first.describe();
  await first.terminate();
  return { first, runId, lost, held };
}

interface TwoBought {
  first: Generation;
  runId: string;
  /** The task that its run knows nothing of, and the one that it waits for. */
  lost: string;
  held: string;
}

describe('a run that goes on for an earlier one, and goes on as new meanwhile', () => {
  it('takes over all that is left of it, one after the other', async () => {
    const prompt = 'taken over in turn';
    const { first, runId: earlierRun, lost, held } = await twoBought(world, prompt);
    const next = await world.start({ ...image(prompt, POLLS), earlierRun }, first.workflowId);
    await world.until(next, 'waiting');
    await goesOn(world, next.workflowId);
    await world.tellOfCreation(lost, { prompt });
    await failTask(world, held, 'TIMEOUT');
    const latest: Generation = world.client.workflow.getHandle(first.workflowId);
    expect((await latest.result()).attempts).toMatchObject([
      { taskId: held, outcome: 'failed' },
      { taskId: lost, outcome: 'completed', adopted: true },
    ]);
    expect(world.bought(first)).toEqual([lost, held]);
  });
});

describe('a step of a pipeline that was Reset, and goes on as new meanwhile', () => {
  it('is not charged what a deleted run of it has told', async () => {
    const prompt = 'overdue, deleted, overdue as new';
    hangTasks(world, prompt);
    const policy = { ...POLLS, deadline: `${patience(3_000)}ms` };
    const handle = await world.pipeline({ policy, steps: { a: still(prompt) } });
    await world.failureOf(handle);
    const child: Generation = world.client.workflow.getHandle(`${handle.workflowId}/a`);
    expect((await world.failureOf<FailureDetails>(child)).details.charged.total).toBe(8);
    await deleteRuns(world.client, child.workflowId);
    await resetRun(world.client, handle.workflowId);
    await world.failureOf(latest(world, handle.workflowId));
    const { events } = await child.fetchHistory();
    const start = events?.[0]?.workflowExecutionStartedEventAttributes;
    expect(start?.firstExecutionRunId).not.toBe(start?.originalExecutionRunId);
    const { attempts, charged } = (await world.failureOf<FailureDetails>(child)).details;
    expect(attempts).toMatchObject([{ outcome: 'overdue', adopted: true }]);
    expect(charged.total).toBe(0);
  });
});

describe('a run that goes on for an earlier one', () => {
  let own: World;
  beforeAll(async () => {
    own = await openWorld();
  });
  afterAll(() => own?.close());

  it('does not need that one any more once it has looked', async () => {
    const prompt = 'deleted once it was looked at';
    const match = { promptIncludes: prompt };
    own.fault({ on: 'task', match, times: 1, fault: { kind: 'fail', code: 'INVALID_INPUT' } });
    const first = await own.start(image(prompt));
    await own.failureOf(first);
    const { workflowId } = first;
    const { runId: earlierRun } = await first.describe();
    const release = own.hold(prompt);
    const next = await own.start({ ...image(prompt, WEBHOOK_ONLY), earlierRun }, workflowId);
    await own.until(next, 'waiting');
    await deleteRun(own.client, { workflowId, runId: earlierRun });
    await failTask(own, own.bought(first)[1], 'TIMEOUT');
    release();
    expect((await next.result()).attempts).toMatchObject([{ outcome: 'failed' }, { outcome: 'completed' }]);
    expect(own.bought(first)).toHaveLength(3);
  });

  it('does not need that one any more where it has gone on as new, and its own first run is deleted as well', async () => {
    const prompt = 'deleted once it had gone on as new';
    const match = { promptIncludes: prompt };
    world.fault({ on: 'submit', match, times: 1, fault: { kind: 'error', code: 'INVALID_INPUT' } });
    const first = await world.start(image(prompt));
    await world.failureOf(first);
    const { workflowId } = first;
    const { runId: earlierRun } = await first.describe();
    world.fault({ on: 'submit', match, times: 1, fault: { kind: 'lost-before' } });
    const policy = { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } } as const;
    const next = await world.start({ ...image(prompt, policy), earlierRun }, workflowId);
    await world.until(next, 'needs a decision');
    const { runId } = await next.describe();
    const latest = await goesOn(world, workflowId, (run) =>
      run.signal('taskEvent', { webhookId: 'none', type: 'task.started', taskId: 'another' }),
    );
    for (const gone of [earlierRun, runId]) await deleteRun(world.client, { workflowId, runId: gone });
    await latest.executeUpdate('decide', { args: [{ action: 'resubmit' }] });
    expect((await latest.result()).attempts).toMatchObject([
      { outcome: 'unknown' },
      { outcome: 'completed' },
    ]);
    expect(world.bought(first)).toHaveLength(1);
  });

  it('asks what a deleted run has bought that the one which it goes on for did not look into to the end', async () => {
    const prompt = 'deleted before it was looked at to the end';
    const { first, runId, lost, held } = await twoBought(own, prompt);
    const { workflowId } = first;
    const again = image(prompt, { ...FAST, retries: { ...FAST.retries, TIMEOUT: { resubmissions: 0 } } });
    const second = await own.start({ ...again, earlierRun: runId }, workflowId);
    await own.until(second, 'waiting');
    await failTask(own, held, 'TIMEOUT');
    await own.failureOf(second);
    const { runId: earlierRun } = await second.describe();
    await deleteRun(own.client, { workflowId, runId });
    await own.tellOfCreation(lost, { prompt });
    const third = await own.start({ ...image(prompt), earlierRun }, workflowId);
    expect((await third.result()).attempts).toMatchObject([{ taskId: lost, adopted: true }]);
    expect(own.bought(first)).toEqual([lost, held]);
  });
});
