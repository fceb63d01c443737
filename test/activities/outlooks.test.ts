import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { Outlooks } from '../../src/activities/outlooks.ts';
import { Troubles } from '../../src/activities/troubles.ts';
import { WebhookWatch } from '../../src/activities/webhook-watch.ts';

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
  expect(outlooks.of(FILM)).not.toHaveProperty('expected');
  outlooks.ended(BLIND, { age: 25_000, openAt: 15_000, told: false });
  expect(outlooks.of(BLIND)).toEqual({ webhooks: false, expected: 22_000 }); // the quick ones
  expect(outlooks.of(FILM)).toEqual({ webhooks: true, expected: 45_000 }); // nearly all, long ago
  expect(outlooks.of({ ...FILM, model: 'image-l' })).not.toHaveProperty('expected');
  // What is long ago counts no more.
  for (let n = 0; n < 32; n += 1) outlooks.ended(BLIND, { age: 5_000, openAt: 3_000, told: false });
  expect(outlooks.of(BLIND).expected).toBe(4_400);
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
