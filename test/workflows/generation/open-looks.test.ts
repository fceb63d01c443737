import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ownership } from '../../../src/contract/entities/task-notices.ts';
import type { Progress } from '../../../src/contract/generation.ts';
import { DarkroomState } from '../../../src/contract/search-attributes.ts';
import { eventually, FAST, type Generation, image, openWorld, type World } from '../world.ts';

/** The look at a task that `unclaimed-tasks` has begun: it ends when the test says so, or as the test says. */
const looks = new Map<string, { begun: () => void; end: Promise<Ownership | undefined> }>();

let world: World;
beforeAll(async () => {
  world = await openWorld({
    activities: (activities) => ({
      ...activities,
      async surveyTasks(survey) {
        const told: Record<string, Ownership> = {};
        for (const { taskId } of survey.tasks) {
          const look = looks.get(taskId);
          look?.begun();
          const end = await look?.end;
          if (end !== undefined) told[taskId] = end;
        }
        return { ...(await activities.surveyTasks(survey)), ...told };
      },
    }),
  });
});
afterAll(() => world.close());

/** The answer to the next submit of that prompt is lost, and every event of its task. */
function lose(prompt: string): void {
  world.loseAnswer(prompt);
  world.loseWebhooks(prompt);
}

const start = (prompt: string, otherwise: string): Promise<Generation> =>
  world.start(image(prompt, { ...FAST, reconcile: { wait: '100ms', otherwise } }));

/** Tells of a run's task, and waits until it is looked at. @returns what ends the look */
async function tellOf(handle: Generation, prompt: string): Promise<(as?: Ownership) => void> {
  const [taskId = ''] = world.bought(handle);
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<Ownership | undefined>();
  looks.set(taskId, { begun: begun.resolve, end: ended.promise });
  await world.tellOfCreation(taskId, { prompt });
  await begun.promise;
  return ended.resolve;
}

/** Why the open submit of a run was not sent at its last try. */
async function whyNotSent(handle: Generation): Promise<string> {
  const { raw } = await handle.describe();
  return raw.pendingActivities?.[0]?.lastFailure?.message ?? '';
}

describe('while a task is looked at that may be of a lost submit', () => {
  it('its run, which was to buy again, sends nothing, and takes the task', async () => {
    const prompt = 'looked at before the next one';
    const match = { promptIncludes: prompt };
    const fault = { kind: 'error', code: 'PROVIDER_UNAVAILABLE' } as const;
    lose(prompt);
    const { id } = world.emulator.service().faults.add({ on: 'submit', match, fault });
    const handle = await start(prompt, 'resubmit');
    await eventually(async () =>
      expect((await handle.query<Progress>('progress')).attempts).toMatchObject([{ outcome: 'unknown' }]),
    );
    const end = await tellOf(handle, prompt);
    world.emulator.service().faults.remove(id);
    await eventually(async () => expect(await whyNotSent(handle)).toContain('it is being looked at'));
    expect(world.bought(handle)).toHaveLength(1);
    end();
    const { taskId, attempts } = await handle.result();
    expect(attempts).toMatchObject([{ outcome: 'unknown' }, { taskId, outcome: 'completed', adopted: true }]);
    expect(world.bought(handle)).toEqual([taskId]);
  });

  it('its run asks no person; and asks again where it was somebody else’s', async () => {
    const prompt = 'looked at while a person is asked';
    lose(prompt);
    const handle = await start(prompt, 'ask');
    await world.until(handle, 'needs a decision');
    const end = await tellOf(handle, prompt);
    const { trouble } = await world.until(handle, 'reconciling');
    expect(trouble).toContain('looking');
    expect((await handle.describe()).typedSearchAttributes.get(DarkroomState)).toBeUndefined();
    end({ kind: 'held' });
    await world.until(handle, 'needs a decision');
    const [taskId = ''] = world.bought(handle);
    looks.delete(taskId);
    await world.tellOfCreation(taskId, { prompt });
    expect((await handle.result()).attempts).toMatchObject([{ taskId, adopted: true }]);
    expect(world.bought(handle)).toEqual([taskId]);
  });
});

it('a look that is told of for a submit that nobody looks for changes nothing', async () => {
  const prompt = 'looked at for nobody';
  lose(prompt);
  const handle = await start(prompt, 'ask');
  await world.until(handle, 'needs a decision');
  for (const said of [undefined, {}, { claimId: 7 }, { claimId: 'of.another' }])
    await handle.signal('lookBegun', said);
  const { state } = await handle.query<Progress>('progress');
  expect(state).toBe('needs a decision');
  await handle.executeUpdate('decide', { args: [{ action: 'fail' }] });
  expect((await world.failureOf(handle)).type).toBe('SUBMISSION_UNKNOWN');
});
