import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GenerationRequest } from '../../../src/contract/generation.ts';
import { FAST, type Generation, image, openWorld, type World } from '../world.ts';

const released = Promise.withResolvers<void>();
const met = new Set<string>();
/** What holds up the first attempt of a submit, by a word of its prompt. */
const HOLD_UPS: Record<string, () => Promise<void> | void> = {
  // Stops this process, as SIGSTOP would, where an activity has just been given to it.
  frozen: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000),
  // The network holds back what Temporal has handed out: the process does not stand still.
  late: async () => await delay(3_000),
  // The same until a test has seen what it wants to see.
  kept: async () => await released.promise,
};

let world: World;
beforeAll(async () => {
  world = await openWorld({
    activities: (activities) => ({
      ...activities,
      submitTask: async (submit) => {
        const { input } = submit.request as GenerationRequest; // what the test has started
        const prompt = String(input['prompt']);
        const [word = ''] = prompt.split(' ');
        const isFirst = !met.has(prompt);
        if (isFirst) await HOLD_UPS[word]?.();
        met.add(prompt);
        const told = await activities.submitTask(submit);
        const isUnheard = isFirst && word === 'unheard';
        return isUnheard ? { kind: 'unknown', reason: 'nobody heard the answer', since: Date.now() } : told;
      },
    }),
  });
});
afterAll(() => world.close());

const submit = { timeout: '10s', heartbeat: '1s' };

async function expectOnePurchase(handle: Generation): Promise<void> {
  const { taskId, attempts } = await handle.result();
  // By a submit of its own: one that came too late and was sent all the same would have to be found first.
  expect(attempts).toMatchObject([{ outcome: 'completed', adopted: false }]);
  expect(world.bought(handle)).toEqual([taskId]);
}

describe('submits that Temporal has given up', () => {
  const policy = { ...FAST, submit, reconcile: { wait: '1m', otherwise: 'resubmit' } };

  it.each(['frozen', 'late'])(
    'are not sent where they come too late, and nothing is unknown (%s)',
    async (word) => {
      const prompts = [1, 2, 3, 4].map((number) => `${word} ${number}`);
      for (const prompt of prompts) world.loseWebhooks(prompt);
      const handles = await Promise.all(prompts.map((prompt) => world.start(image(prompt, policy))));
      await Promise.all(handles.map(expectOnePurchase));
    },
  );
});

it('a person who is asked already need not decide', async () => {
  const prompt = 'kept for a person';
  world.loseWebhooks(prompt);
  const policy = { ...FAST, submit, reconcile: { wait: '100ms', otherwise: 'ask' } };
  const handle = await world.start(image(prompt, policy));
  await world.until(handle, 'needs a decision');
  released.resolve();
  const { taskId, attempts } = await handle.result();
  expect(attempts).toMatchObject([{ outcome: 'completed', adopted: false }]);
  expect(world.bought(handle)).toEqual([taskId]);
});

it('a task whose answer came to no run is known to its budget, which tells the next submit: that takes it', async () => {
  const prompt = 'unheard by its run';
  world.loseWebhooks(prompt);
  const reconcile = { wait: '100ms', otherwise: 'resubmit' };
  const handle = await world.start(image(prompt, { ...FAST, submit, reconcile, budget: { credits: 8 } }));
  const { taskId, attempts } = await handle.result();
  expect(attempts).toMatchObject([{ outcome: 'unknown' }, { taskId, outcome: 'completed', adopted: true }]);
  expect(world.bought(handle)).toEqual([taskId]);
});
