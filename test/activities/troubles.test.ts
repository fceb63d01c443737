import { Registry } from 'prom-client';
import { expect, it, vi } from 'vitest';
import { Troubles } from '../../src/activities/troubles.ts';
import { WebhookWatch } from '../../src/activities/webhook-watch.ts';

/** What a run has seen of a task's end that no event had told of. */
const MISSED = { age: 60_000, told: false };

function troublesOf(lasts: number) {
  const lines: string[] = [];
  const registry = new Registry();
  const troubles = new Troubles(registry, { warn: (_, message) => void lines.push(message) }, lasts);
  return { lines, troubles, metrics: () => registry.getSingleMetricAsString('darkroom_trouble') };
}

it('what lastingly fails is told once, and once more when it is over, and is a metric meanwhile', async () => {
  const { lines, troubles, metrics } = troublesOf(0);
  for (const reason of ['the connection was refused', 'the same'])
    troubles.failed('reads', { workspace: 'film', code: 'NETWORK', reason });
  expect(lines).toEqual(['reading tasks from the API fails (workspace film): the connection was refused']);
  expect(await metrics()).toContain('darkroom_trouble{what="reads",workspace="film"} 1');
  troubles.worked('reads', 'other');
  troubles.worked('reads', 'film');
  troubles.worked('reads', 'film');
  expect(lines.slice(1)).toEqual([expect.stringMatching(/^over after .*: reading tasks from the API fails/)]);
  expect(await metrics()).toContain('darkroom_trouble{what="reads",workspace="film"} 0');
});

it('where some fail and others work it begins once, and is over once all that failed work again', () => {
  const { lines, troubles } = troublesOf(60_000);
  const refused = (who: string) =>
    troubles.failed('reads', { workspace: 'film', code: 'UNAUTHORIZED', reason: 'refused', who });
  for (let round = 0; round < 3; round += 1) {
    for (const who of ['a', 'b']) refused(who);
    troubles.worked('reads', 'film', 'c');
  }
  troubles.worked('reads', 'film', 'a');
  expect(lines).toHaveLength(1);
  troubles.worked('reads', 'film', 'b');
  expect(lines).toEqual([expect.stringContaining('refused'), expect.stringMatching(/^over after/)]);
});

it('what has failed and is not tried again is over after a while, once others work', () => {
  vi.useFakeTimers();
  try {
    const { lines, troubles } = troublesOf(60_000);
    troubles.failed('reads', { code: 'UNAUTHORIZED', reason: 'refused', who: 'a' });
    vi.advanceTimersByTime(29 * 60_000);
    troubles.worked('reads', '', 'b');
    expect(lines).toHaveLength(1);
    vi.advanceTimersByTime(60_000);
    troubles.worked('reads', '', 'b');
    expect(lines).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});

it('a moment is not told, but a revoked key is told at once', () => {
  const { lines, troubles } = troublesOf(60_000);
  troubles.failed('submits', { workspace: 'film', code: 'PROVIDER_UNAVAILABLE', reason: 'away' });
  troubles.worked('submits', 'film');
  troubles.failed('temporal', { reason: 'away' });
  expect(lines).toEqual([]);
  troubles.failed('reads', { workspace: 'film', code: 'UNAUTHORIZED', reason: 'the key was revoked' });
  expect(lines).toEqual(['reading tasks from the API fails (workspace film): the key was revoked']);
});

it('a worker without a receiver tells it later: looks may find an end before its event has come', () => {
  const { lines, troubles } = troublesOf(0);
  const watch = new WebhookWatch(troubles, false);
  for (let n = 0; n < 19; n += 1) watch.ended('film', MISSED);
  watch.ended('film', { ...MISSED, told: true });
  for (let n = 0; n < 19; n += 1) watch.ended('film', MISSED);
  expect(lines).toEqual([]);
  watch.ended('film', MISSED);
  expect(lines).toEqual([expect.stringMatching(/^no webhook has come .*20 tasks have ended/)]);
});

it('a worker without a receiver tells it although tasks are looked at more often once events are missed', () => {
  const { lines, troubles } = troublesOf(0);
  const watch = new WebhookWatch(troubles, false);
  const justLookedAt = { age: 60_000, openAt: 58_000, told: false };
  watch.heard('film');
  for (let n = 0; n < 30; n += 1) watch.ended('film', justLookedAt);
  expect(watch.arrive('film')).toBe(true);
  for (let n = 0; n < 3; n += 1) watch.ended('film', MISSED);
  expect(watch.arrive('film')).toBe(false);
  for (let n = 0; n < 17; n += 1) watch.ended('film', justLookedAt);
  for (let n = 0; n < 20; n += 1) watch.ended('never heard of', justLookedAt);
  expect(lines).toEqual([
    expect.stringMatching(/workspace film/),
    expect.stringMatching(/workspace never heard of/),
  ]);
});

it('a receiver that no webhook reaches while tasks end is told of, until one comes', () => {
  const { lines, troubles } = troublesOf(0);
  const watch = new WebhookWatch(troubles, true);
  for (let n = 0; n < 4; n += 1) watch.ended('film', MISSED);
  watch.heard('film');
  for (let n = 0; n < 4; n += 1) watch.ended('film', MISSED);
  expect(lines).toEqual([]);
  watch.ended('film', MISSED);
  expect(lines).toEqual([expect.stringMatching(/^no webhook has come .*workspace film.*5 tasks have ended/)]);
  watch.heard('film');
  expect(lines).toHaveLength(2);
});
