import { afterEach, describe, expect, it } from 'vitest';
import { type AccountName, accountOfBudget, accountOfCap } from '../../../src/contract/entities/account.ts';
import { entityId } from '../../../src/contract/workflow-ids.ts';
import type { Cap } from '../../../src/policy/caps.ts';
import { patience } from '../../patience.ts';
import { eventually, FAST, openWorld, type World } from '../world.ts';
import { readBooked, type Wait, waitsOf } from './recorded-waits.ts';

/** Longest that anybody is kept from credits that are free (milliseconds), on a quick machine. */
const LONGEST = 10_000;

let world: World;
afterEach(() => world.close());

/** All of it costs more than this together; without what fails, and is given back, it does not. */
const LIMIT = 200;

interface Bought {
  model: string;
  input: Record<string, unknown>;
}

const pictures = (prompt: string, count: number, n = 1): Bought[] =>
  Array.from({ length: count }, (_, nth) => ({ model: 'image-l', input: { prompt: `${prompt} ${nth}`, n } }));
const speech = (text: string): Bought => ({ model: 'speech-a', input: { text } });

/** Of kinds and sizes that are seen often, and others that nobody has seen before. */
const all = (mark: string): Bought[] => [
  ...pictures(`${mark} slow`, 1),
  ...pictures(`${mark} held`, 10),
  ...pictures(`${mark} seen often`, 15),
  ...pictures(`${mark} lost`, 1),
  ...pictures(`${mark} held two`, 1, 2),
  ...pictures(`${mark} two`, 2, 2),
  ...[1, 30, 200].map((words) => speech(`${mark} `.repeat(words))),
  { model: 'image-o', input: { prompt: `${mark} of another kind` } },
];

/** Buys all of it at once, paid by a cap. */
async function underCap(mark: string): Promise<[AccountName, Promise<unknown>]> {
  const cap: Cap = { name: 'waits', per: 'ever', credits: LIMIT, action: 'wait' };
  world = await openWorld({ config: { caps: [cap] }, emulator: { assumptions: { refunds: 'all' } } });
  spoil(mark);
  const handles = await Promise.all(all(mark).map((one) => world.start({ ...one, policy: FAST })));
  return [accountOfCap(cap), Promise.allSettled(handles.map((handle) => handle.result()))];
}

/** As steps of one pipeline, paid by its budget. */
async function underBudget(mark: string): Promise<[AccountName, Promise<unknown>]> {
  world = await openWorld({ emulator: { assumptions: { refunds: 'all' } } });
  spoil(mark);
  const steps = Object.fromEntries(all(mark).map((one, nth) => [`step${nth}`, one]));
  const budget = { credits: LIMIT };
  const handle = await world.pipeline({ steps, budget, allowPartial: true, policy: FAST });
  return [accountOfBudget(handle.workflowId, String), handle.result()];
}

/** What the API does: one answer comes late, one is lost, some tasks do not end. */
function spoil(mark: string): void {
  const match = { promptIncludes: `${mark} slow` };
  world.fault({ on: 'submit', match, times: 1, fault: { kind: 'slow', ms: 3_000 } });
  world.loseAnswer(`${mark} lost`);
  world.hold(`${mark} held`);
}

/** Ends those in vain: what they have cost comes back. */
function failHeld(mark: string): void {
  const { scheduler, tasks } = world.emulator.service();
  const due = { start: Date.now(), finish: Date.now() };
  for (const task of tasks.values())
    if (task.status !== 'FAILED' && JSON.stringify(task.input).includes(`${mark} held`))
      scheduler.force(task, { kind: 'fail', code: 'CONTENT_REJECTED', message: 'a test' }, due);
}

/** After so many asks in vain the time between two of them is as long as it gets. */
const OFTEN = 11;

describe('credits that are free', () => {
  it.each([
    ['a cap', underCap],
    ['the budget of a pipeline', underBudget],
  ])(
    'keep nobody waiting for more than ten seconds, under %s',
    { timeout: patience(180_000) },
    async (name, buy) => {
      const mark = `waits under ${name}`;
      const [account, done] = await buy(mark);
      const id = entityId('account', account.scope, world.config.taskQueue);
      const waits = async (): Promise<Wait[]> => waitsOf(await readBooked(world.client, id), LIMIT);
      let isDone = false;
      const over = done.finally(() => {
        isDone = true;
      });
      await eventually(async () => {
        const waitsLong = (await waits()).filter(({ end, busy }) => end === 'busy' && busy >= OFTEN);
        expect(waitsLong).not.toEqual([]);
      });
      await eventually(() => {
        failHeld(mark);
        expect(isDone).toBe(true);
      });
      await over;
      const all = await waits();
      const longest = LONGEST + patience(1_000);
      const kept = all.filter(
        (wait) => wait.end !== 'booked' || Math.max(wait.whileFree, wait.apart) > longest,
      );
      expect(kept).toEqual([]);
      const ranAlone = (await readBooked(world.client, id)).filter(
        ({ booking, end }) =>
          booking.kind === 'reserve' && end.kind === 'booked' && end.spent + end.reserved === LIMIT,
      );
      expect(ranAlone.length).toBeGreaterThan(2);
      expect(all.filter(({ price, busy }) => price !== null && busy > 0).length).toBeGreaterThan(5);
    },
  );
});
