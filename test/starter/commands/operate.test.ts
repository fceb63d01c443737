import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rerunGeneration } from '../../../src/client/starting/rerun.ts';
import type { GenerationRequest } from '../../../src/contract/generation.ts';
import { toCommandFailure } from '../../../src/starter/failures/command-failure.ts';
import { readLatestRun } from '../../../src/temporal/latest-run.ts';
import { rejection } from '../../rejection.ts';
import { eventually, FAST, type Generation, image, WEBHOOK_ONLY } from '../../workflows/world.ts';
import { openStarterWorld, type StarterWorld } from '../starter-world.ts';

let world: StarterWorld;
beforeAll(async () => {
  world = await openStarterWorld();
});
afterAll(() => world.close());

/** A generation whose task is done, and that has not heard of it. */
async function unaware(): Promise<{ handle: Generation; taskId: string }> {
  const prompt = randomUUID();
  world.loseWebhooks(prompt);
  const handle = await world.start(image(prompt, WEBHOOK_ONLY));
  const { taskId } = await world.until(handle, 'waiting');
  await eventually(() => {
    expect(world.emulator.service().tasks.get(taskId ?? '')?.status).toBe('COMPLETED');
  });
  return { handle, taskId: taskId ?? '' };
}

describe('starter check', () => {
  it('has a generation look at its task at once', async () => {
    const { handle } = await unaware();
    const { code, json } = await world.runHere('check', handle.workflowId, '--json');
    expect(code).toBe(0);
    expect(json()).toHaveProperty('state', expect.stringMatching(/storing|done|waiting/));
    expect(await handle.result()).toMatchObject({ attempts: [{ settledBy: 'poll' }] });
  });

  it.each(['check', 'cancel'])('says of one that has ended that it has (%s)', async (command) => {
    const handle = await world.start(image(`ended before ${command}`));
    await handle.result();
    const { code, json } = await world.runHere(command, handle.workflowId, '--json');
    expect(code).toBe(1);
    expect(json()).toMatchObject({ error: { type: 'CLOSED' } });
  });
});

describe('starter cancel', () => {
  it('ends a run, and says that the task goes on and how to take it over', async () => {
    const { handle, taskId } = await unaware();
    const { code, stdout } = await world.runHere('cancel', handle.workflowId);
    expect(code).toBe(0);
    expect(stdout).toContain('goes on and is paid for');
    await expect(handle.result()).rejects.toThrow('cancelled');
    const again = await world.runHere('cancel', handle.workflowId, '--json');
    expect(again.code).toBe(1);
    expect(again.json()).toMatchObject({
      error: { type: 'CLOSED', message: `${handle.workflowId} has ended already` },
    });

    const shown = await world.runHere('show', handle.workflowId);
    expect(shown.stdout).toContain(`Left at the API: task ${taskId}\nSpent: 8 credits`);
    const next = `retry ${handle.workflowId}`;
    expect(shown.stdout).toContain('Next: Try again to take its task over: nothing is bought twice.');
    expect(shown.stdout).toContain(`npm run starter -- ${next}\n`);
    const { json } = await world.runHere(...next.split(' '), '--json');
    expect(json()).toMatchObject({ taskId, attempts: [{ adopted: true }] });
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });
});

describe('starter reset', () => {
  it('has a run repeated, in any state, which takes over what it bought', async () => {
    const handle = await world.start(image('repeated'));
    const { taskId } = await handle.result();
    const { runId } = await handle.describe();
    const { code, json } = await world.runHere('reset', handle.workflowId, '--json');
    expect(code).toBe(0);
    const { runId: newRunId } = await handle.describe();
    expect(json()).toEqual({
      workflowId: handle.workflowId,
      runId: newRunId,
      resetRunId: runId,
      eventId: expect.any(Number) as unknown,
    });
    const again = await world.runHere('watch', handle.workflowId, '--json');
    expect(again.json()).toMatchObject({ taskId, attempts: [{ adopted: true }] });
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });

  it('goes on from the event that is named, and refuses one that is no end of a workflow task', async () => {
    const handle = await world.start(image('from a point'));
    await handle.result();
    const refused = await world.runHere('reset', handle.workflowId, '--event', '1');
    expect(refused.code).toBe(2);
    const [, points = ''] = /these are: ([\d, ]+)/.exec(refused.stderr) ?? [];
    const last = points.split(', ').at(-1) ?? '';
    const { json } = await world.runHere('reset', handle.workflowId, '--event', last, '--json');
    expect(json()).toMatchObject({ eventId: Number(last) });
    await world.client.workflow.getHandle(handle.workflowId).result();
  });

  it("counts by a step's policy over its pipeline's what a dry run may buy", async () => {
    const prompt = randomUUID();
    const fault = { kind: 'fail', code: 'FAILED' } as const;
    world.fault({ on: 'task', match: { promptIncludes: prompt }, fault });
    const still = { model: 'image-l', input: { prompt } };
    const retries = { ...FAST.retries, FAILED: { ...FAST.retries['FAILED'], resubmissions: 2 } };
    const handle = await world.pipeline({
      policy: { ...FAST, retries },
      steps: { still: { ...still, policy: { retries: { TIMEOUT: { resubmissions: 3 } } } } },
    });
    const { workflowId } = handle;
    await world.failureOf(handle);
    expect(world.charges(`${workflowId}/still`)).toHaveLength(3);
    await eventually(async () => {
      const query = ['--query', `WorkflowId = '${workflowId}'`];
      const { json } = await world.runHere('reset', ...query, '--dry-run', '--json');
      expect(json()).toMatchObject({ runs: 1, buys: 1, credits: { low: 8, high: 24 } });
    });
  });

  it('refuses what has not begun', async () => {
    const workflowId = `generation/${randomUUID()}`;
    const handle = await world.client.workflow.start('generation', { workflowId, taskQueue: 'nobody' });
    const { code, json } = await world.runHere('reset', workflowId, '--json');
    expect(code).toBe(1);
    expect(json()).toMatchObject({
      error: { type: 'RERUN_REFUSED', message: expect.stringContaining('has not begun yet') },
    });
    await handle.terminate();
  });
});

describe('a key alone', () => {
  it.each(['check', 'reset', 'rerun'])('is enough for %s, as it is for show', async (command) => {
    const { workflowId } = (await unaware()).handle;
    const key = workflowId.slice('generation/'.length);
    const { code, stdout } = await world.runHere(command, key, '--json');
    expect({ code, stdout }).toMatchObject({ code: 0 });
    await world.client.workflow.getHandle(workflowId).result();
    expect(world.charges(workflowId)).toHaveLength(1);
  });
});

describe('starter rerun', () => {
  it('is refused by how the run stands as a failure, not as a command line that is wrong', async () => {
    const workflowId = `generation/${randomUUID()}`;
    const args = [image('run again by two')];
    const first = await world.client.workflow.start('generation', { workflowId, taskQueue: 'nobody', args });
    await first.terminate();
    const earlier = await readLatestRun<GenerationRequest>(world.client, workflowId);
    if (earlier?.request === undefined) throw new Error('there is no run');
    const { request } = earlier;
    const again = (): Promise<void> =>
      rerunGeneration(world.client, workflowId, { ...earlier, request }, undefined);
    await again();
    const slower = toCommandFailure(await rejection(again()));
    expect(slower).toMatchObject({ type: 'RERUN_REFUSED', exitCode: 1 });
    expect(slower.message).toContain('somebody else was quicker');
    for (const [set, why] of [
      [[], 'has not begun yet'],
      [['--set', 'policy.deadline=1h'], 'still runs with its own policy'],
    ] as const) {
      const { code, json } = await world.runHere('rerun', workflowId, ...set, '--json');
      expect(code).toBe(1);
      const error = { type: 'RERUN_REFUSED', message: expect.stringContaining(why) as unknown };
      expect(json()).toMatchObject({ error });
    }
    expect(await world.runHere('rerun', workflowId, '--set', 'input.n=2')).toMatchObject({ code: 2 });
    await world.client.workflow.getHandle(workflowId).terminate();
  });

  it('tells by a dry run what it takes over, also of a run that was ended from outside', async () => {
    const { handle } = await unaware();
    await handle.cancel();
    await rejection(handle.result());
    const plan = await world.runHere('rerun', handle.workflowId, '--dry-run', '--json');
    expect(plan.json()).toMatchObject({ bought: 0, reused: 1, credits: 0 });
  });

  it('tells by a dry run that a task may be taken over, where its run was ended without a word', async () => {
    const { handle, taskId } = await unaware();
    await handle.terminate();
    await rejection(handle.result());
    const unless = `task ${taskId} can be taken over`;
    const plan = await world.runHere('rerun', handle.workflowId, '--dry-run', '--json');
    expect(plan.json()).toMatchObject({ bought: 1, reused: 0, generations: [{ from: null, unless }] });
    const shown = await world.runHere('rerun', handle.workflowId, '--dry-run');
    expect(shown.stdout.replaceAll(/\s+/g, ' ')).toContain('bought, unless');
  });

  it('tells by a dry run why nothing is bought for what may only be taken over, where there is nothing', async () => {
    const prompt = randomUUID();
    const fault = { kind: 'fail', code: 'INVALID_INPUT' } as const;
    world.fault({ on: 'task', match: { promptIncludes: prompt }, times: 1, fault });
    const handle = await world.start(image(prompt));
    await rejection(handle.result());
    const { workflowId } = handle;
    const { runId: earlierRun } = await handle.describe();
    const adoptOnly = { type: 'OUTPUT_UNAVAILABLE', message: 'its input is gone' } as const;
    await rejection((await world.start({ ...image(prompt), earlierRun, adoptOnly }, workflowId)).result());

    const plan = await world.runHere('rerun', workflowId, '--dry-run', '--json');
    const reason = 'OUTPUT_UNAVAILABLE: its input is gone';
    expect(plan.json()).toMatchObject({
      bought: 0,
      reused: 0,
      credits: 0,
      generations: [{ action: 'skip', from: null, reason }],
    });
    const shown = await world.runHere('rerun', workflowId, '--dry-run');
    expect(shown.stdout).toContain(`skipped: ${reason}`);
    expect(await world.runHere('rerun', workflowId)).toMatchObject({ code: 1 });
    expect(world.bought(handle)).toHaveLength(1);
  });
});

describe('starter show', () => {
  it('finds a run by the task that it holds, and tells what it did, and when', async () => {
    const { handle, taskId } = await unaware();
    await eventually(async () => {
      const { json } = await world.runHere('show', taskId, '--json');
      expect(json()).toMatchObject({
        workflowId: handle.workflowId,
        status: 'RUNNING',
        progress: { state: 'waiting', taskId },
        timeline: [
          { what: 'started' },
          { what: 'submits to the API' },
          { what: `task ${taskId} accepted, 8 credits` },
        ],
      });
    });
    const { stdout } = await world.runHere('show', taskId);
    expect(stdout).toMatch(/^ +\+0\.0 s {2}started$/m);
    expect(stdout).toMatch(new RegExp(`^ +\\+\\d\\.\\d s {2}task ${taskId} accepted, 8 credits$`, 'm'));
    await handle.terminate();
  });

  it('says of a running one that nobody works on why it does not answer', async () => {
    const workflowId = `generation/${randomUUID()}`;
    const handle = await world.client.workflow.start('generation', { workflowId, taskQueue: 'nobody' });
    const { code, stdout } = await world.runHere('show', workflowId);
    expect(code).toBe(0);
    expect(stdout).toContain('no worker polls task queue nobody');
    await handle.terminate();
  });

  it('says of an id that is neither a workflow nor a task that there is nothing', async () => {
    const { code, json } = await world.runHere('show', 'no-such-thing', '--json');
    expect(code).toBe(1);
    expect(json()).toMatchObject({ error: { type: 'NOT_FOUND' } });
  });

  it('says what the server says that refuses the question', async () => {
    const { code, json } = await world.runHere('show', '', '--json');
    expect(code).toBe(1);
    expect(json()).toMatchObject({
      error: { type: 'TEMPORAL_REFUSED', message: expect.stringContaining('3 INVALID_ARGUMENT: ') },
    });
  });
});
