import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, type Generation, image, WEBHOOK_ONLY } from '../../workflows/world.ts';
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

  it('says of one that has ended that it has', async () => {
    const handle = await world.start(image('ended'));
    await handle.result();
    const { code, json } = await world.runHere('check', handle.workflowId, '--json');
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

    const shown = await world.runHere('show', handle.workflowId);
    expect(shown.stdout).toContain(`Left at the API: task ${taskId}\nSpent: 8 credits`);
    const next = `rerun ${handle.workflowId}`;
    expect(shown.stdout).toContain(`What was bought is not bought again:\n  npm run starter -- ${next}\n`);
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

  it('refuses what has not begun', async () => {
    const workflowId = `generation/${randomUUID()}`;
    const handle = await world.client.workflow.start('generation', { workflowId, taskQueue: 'nobody' });
    const { code, stderr } = await world.runHere('reset', workflowId);
    expect(code).toBe(2);
    expect(stderr).toContain('has not begun yet');
    await handle.terminate();
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
