import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { Outlooks } from '../../src/activities/outlooks.ts';
import { Troubles } from '../../src/activities/troubles.ts';
import { WebhookWatch } from '../../src/activities/webhook-watch.ts';
import { pauseBeforeLook } from '../../src/policy/look-pace.ts';
import { DEFAULT_POLICY } from '../../src/policy/policy.ts';

const FILM = { workspace: 'film', model: 'video-d' };
const BLIND = { workspace: 'blind', model: 'video-d' };

function outlooksOf(hasReceiver = true) {
  const webhooks = new WebhookWatch(new Troubles(new Registry(), { warn() {} }), hasReceiver);
  const access = (takesWebhooks: boolean) => ({ apiKey: 'key', takesWebhooks });
  const workspaces = new Map([
    ['film', access(true)],
    ['blind', access(false)],
  ]);
  return { webhooks, outlooks: new Outlooks(webhooks, workspaces) };
}

it('webhooks arrive where they have been seen, until three tasks in a row have ended without one', () => {
  const { webhooks, outlooks } = outlooksOf();
  const arrive = () => outlooks.of(FILM).webhooks;
  expect(arrive()).toBe(false);
  webhooks.heard('film');
  expect(arrive()).toBe(true);
  for (let n = 0; n < 2; n += 1) outlooks.ended(FILM, { age: 9_000, told: false });
  expect(arrive()).toBe(true);
  outlooks.ended(FILM, { age: 9_000, told: false });
  expect(arrive()).toBe(false);
  // A process without a receiver sees by its runs that they come.
  outlooks.ended(FILM, { age: 9_000, told: true });
  expect(arrive()).toBe(true);
});

it('without a receiver, tasks that were looked at all the time miss no webhook', () => {
  const { webhooks, outlooks } = outlooksOf(false);
  webhooks.heard('film');
  for (let n = 0; n < 9; n += 1) outlooks.ended(FILM, { age: 4_000, openAt: 3_000, told: false });
  expect(outlooks.of(FILM).webhooks).toBe(true);
  for (let n = 0; n < 3; n += 1) outlooks.ended(FILM, { age: 60_000, told: false });
  expect(outlooks.of(FILM).webhooks).toBe(false);
});

it('without a secret none do, whatever was seen', () => {
  const { webhooks, outlooks } = outlooksOf();
  webhooks.heard('blind');
  outlooks.ended(BLIND, { age: 9_000, told: true });
  expect(outlooks.of(BLIND).webhooks).toBe(false);
});

it('learns how long tasks of a model take, whoever has bought them', () => {
  const { outlooks } = outlooksOf();
  for (const age of [30_000, 20_000]) outlooks.ended(FILM, { age, told: true });
  expect(outlooks.of(BLIND)).not.toHaveProperty('expected');
  outlooks.ended(BLIND, { age: 25_000, openAt: 15_000, told: false });
  expect(outlooks.of(BLIND)).toEqual({ webhooks: false, expected: 22_000 }); // the quick ones
  expect(outlooks.of(FILM)).toEqual({ webhooks: true, expected: 45_000 }); // nearly all, long ago
  expect(outlooks.of({ ...BLIND, model: 'image-l' })).not.toHaveProperty('expected');
  // What is long ago counts no more.
  for (let n = 0; n < 32; n += 1) outlooks.ended(BLIND, { age: 5_000, openAt: 3_000, told: false });
  expect(outlooks.of(BLIND).expected).toBe(4_400);
});

it('where webhooks arrive, a model of which too few are known is expected to take what is typical six times', () => {
  const { webhooks, outlooks } = outlooksOf();
  const expectedOf = (model: string) => outlooks.of({ ...FILM, model }).expected;
  expect(expectedOf('video-d')).toBeUndefined();
  webhooks.heard('film');
  expect([expectedOf('video-d'), expectedOf('image-l')]).toEqual([360_000, 48_000]);
});

it('learns nothing of a look that came long after the one before it', () => {
  const { outlooks } = outlooksOf();
  for (let n = 0; n < 3; n += 1) outlooks.ended(BLIND, { age: 5_000, openAt: 3_000, told: false });
  const before = outlooks.of(BLIND).expected;
  for (let n = 0; n < 32; n += 1) {
    outlooks.ended(BLIND, { age: 3_600_000, openAt: 4_000, told: false });
    outlooks.ended(BLIND, { age: 3_600_000, told: false });
  }
  expect(outlooks.of(BLIND).expected).toBe(before);
});

it('comes to about the time that tasks take, from above and from below, by looks alone', () => {
  for (const guess of [1_000, 60_000]) {
    const { outlooks } = outlooksOf();
    for (let n = 0; n < 3; n += 1) outlooks.ended(BLIND, { age: guess, told: false });
    for (let n = 0; n < 120; n += 1) {
      let age = outlooks.of(BLIND).expected ?? 0;
      let openAt: number | undefined;
      for (; age < 10_000; age *= 1.2) openAt = age;
      outlooks.ended(BLIND, { age, told: false, ...(openAt === undefined ? {} : { openAt }) });
    }
    const { expected = 0 } = outlooks.of(BLIND);
    expect(expected).toBeGreaterThan(8_000);
    expect(expected).toBeLessThan(12_000);
  }
});

/** The looks at tasks that take between so many seconds, evenly, and how late their ends are seen, of their time. */
function paced(between: readonly [number, number]): { looks: number; late: number; took: number }[] {
  const { outlooks } = outlooksOf();
  const [shortest, longest] = between;
  const tasks = Array.from({ length: 1_000 }, (_, n) => {
    const took = 1_000 * (shortest + (longest - shortest) * ((n * 0.618_034) % 1));
    let openAt: number | undefined;
    for (let looks = 1, age = 0; ; looks += 1) {
      age += pauseBeforeLook(DEFAULT_POLICY.polling, outlooks.of(BLIND), { looks: looks - 1, age });
      if (age >= took) {
        outlooks.ended(BLIND, { age, told: false, ...(openAt === undefined ? {} : { openAt }) });
        return { looks, late: (age - took) / took, took };
      }
      openAt = age;
    }
  });
  return tasks.slice(10); // by then it is known how long they take
}

it.each([
  [4, 12],
  [30, 90],
  [180, 480],
] as const)(
  'where none arrive, tasks of %i to %i s cost about a fifth of the looks of a poller at 500 ms, and are about a tenth late',
  (...between) => {
    const tasks = paced(between);
    const sum = (of: (task: (typeof tasks)[number]) => number) =>
      tasks.reduce((all, one) => all + of(one), 0);
    expect(sum(({ took }) => Math.ceil(took / 500)) / sum(({ looks }) => looks)).toBeGreaterThan(4.5);
    expect(sum(({ late }) => late) / tasks.length).toBeLessThan(0.13);
  },
);
