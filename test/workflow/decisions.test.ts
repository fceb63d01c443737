import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Progress } from '../../src/workflows/contract.ts';
import { FAST, type Generation, image, openWorld, type World } from './world.ts';

const ASK = { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } };

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** A run whose submit has bought nothing and got no answer, and that waits for a person. */
async function undecided(prompt: string): Promise<Generation> {
  const match = { promptIncludes: prompt };
  world.fault({ on: 'submit', match, times: 1, fault: { kind: 'lost-before' } });
  const handle = await world.start(image(prompt, ASK));
  await world.until(handle, 'needs a decision');
  return handle;
}

const decide = (handle: Generation, decision: object): Promise<Progress> =>
  handle.executeUpdate<Progress, [object]>('decide', { args: [decision] });

/** Why a decision was refused. */
function refusalOf(decided: Promise<Progress>): Promise<unknown> {
  return decided.then(
    ({ state }) => `it was taken: ${state}`,
    (error: unknown) =>
      error instanceof Error && error.cause instanceof Error ? error.cause.message : error,
  );
}

describe.concurrent('a decision to adopt', () => {
  it('a task that the API does not know is refused at once, and the run goes on waiting', async () => {
    const handle = await undecided('mistyped');
    expect(await refusalOf(decide(handle, { action: 'adopt', taskId: 'no-such-task' }))).toBe(
      'taskId must name a task that the API knows in workspace default: it knows no "no-such-task"',
    );
    expect(await handle.query('progress')).toMatchObject({
      state: 'needs a decision',
      taskId: null,
      attempts: [],
    });
    const { taskId } = await world.generate(image('what was meant'));
    await decide(handle, { action: 'adopt', taskId });
    expect((await handle.result()).attempts).toMatchObject([{ taskId, adopted: true }]);
    expect(world.charges(handle.workflowId)).toEqual([]);
  });

  it('a task whose record cannot be read now is taken', async () => {
    const { taskId } = await world.generate(image('out of sight'));
    const handle = await undecided('cannot look');
    const match = { promptIncludes: 'out of sight' };
    world.fault({ on: 'get', match, times: 1, fault: { kind: 'html' } });
    await decide(handle, { action: 'adopt', taskId });
    expect((await handle.result()).attempts).toMatchObject([{ taskId, outcome: 'completed' }]);
  });
});
