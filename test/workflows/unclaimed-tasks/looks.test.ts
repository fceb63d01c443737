import { describe, expect, it } from 'vitest';
import type { Ownership } from '../../../src/contract/entities/task-notices.ts';
import type { Entry } from '../../../src/workflows/unclaimed-tasks/kept-tasks.ts';
import { type Look, Looks } from '../../../src/workflows/unclaimed-tasks/looks.ts';
import { entry, keptClaim } from './examples.ts';

type Why = Parameters<Looks['wait']>[1];

const IN_FLIGHT: Why = { kind: 'in flight' };
const UNREADABLE: Why = { kind: 'unreadable', reason: 'HTTP 503' };
const ALIKE: Why = { kind: 'alike', searches: [keptClaim('a'), keptClaim('b', { model: 'video-g' })] };

const look = (looks: Looks, taskId = 't'): Look | undefined => new Map(looks.entries()).get(taskId);
const taken = (looks: Looks, now: number, find: (taskId: string) => ReturnType<Find> = entry): string[] =>
  looks.take(now, find).map(({ taskId }) => taskId);
type Find = Parameters<Looks['take']>[1];

describe('a task that somebody may get', () => {
  it('is looked at as early as anybody wants it', () => {
    const looks = new Looks();
    expect([looks.has('t'), looks.firstDue]).toEqual([false, Number.POSITIVE_INFINITY]);
    looks.want('t', 1_000);
    expect([looks.has('t'), looks.firstDue]).toEqual([true, 1_000]);
    looks.want('t', 500);
    expect(looks.firstDue).toBe(500);
    looks.want('t', 2_000);
    expect(looks.firstDue).toBe(500);
    expect(look(looks)).toMatchObject({ state: 'new', why: 'task t may be this one: it is being looked at' });
  });

  it('that waits already is looked at no earlier because somebody else wants it', () => {
    const looks = new Looks();
    looks.wait(entry('t'), IN_FLIGHT, 0, 0);
    looks.want('t', 0);
    expect(look(looks)).toMatchObject({ state: 'in flight', nextAt: 500 });
  });

  it('is forgotten', () => {
    const looks = new Looks();
    looks.want('t', 0);
    looks.want('u', 7);
    looks.forget('t');
    expect([looks.has('t'), looks.has('u'), looks.firstDue]).toEqual([false, true, 7]);
  });

  it.each<[Why, number[]]>([
    [IN_FLIGHT, [500, 750, 1_125, 1_687.5, 2_531.25, 3_796.875, 5_000, 5_000]],
    [UNREADABLE, [1_000, 1_500, 2_250]],
    [ALIKE, [500, 750, 1_125]],
  ])('is left alone longer and longer while it waits: $kind', (why, pauses) => {
    const looks = new Looks();
    let now = 0;
    for (const pause of pauses) {
      looks.wait(entry('t'), why, now, now);
      expect(look(looks)).toMatchObject({ state: why.kind, nextAt: now + pause, since: 0 });
      now += pause;
    }
  });

  it('waits anew when the reason is another one', () => {
    const looks = new Looks();
    looks.wait(entry('t'), IN_FLIGHT, 0, 0);
    looks.wait(entry('t'), IN_FLIGHT, 500, 400);
    expect(looks.blockedSince('t')).toBe(0);
    looks.wait(entry('t'), UNREADABLE, 1_000, 900);
    expect(look(looks)).toMatchObject({ nextAt: 2_000, since: 900 });
    expect([looks.blockedSince('t'), looks.blockedSince('u')]).toEqual([undefined, undefined]);
    looks.wait(entry('t'), IN_FLIGHT, 2_000, 1_900);
    expect(looks.blockedSince('t')).toBe(1_900);
  });

  it('counts the time of an answer in flight from when no run has to look back any more', () => {
    const looks = new Looks();
    const queued = { ...IN_FLIGHT, untilLookedBack: true } as const;
    looks.wait(entry('t'), queued, 0, 0);
    looks.wait(entry('t'), queued, 500, 400);
    expect(look(looks)?.untilLookedBack).toBe(true);
    expect(look(looks)?.why).toMatch(
      /^task t may be this one, or that of an equal run which has yet to look/,
    );
    looks.wait(entry('t'), IN_FLIGHT, 1_000, 900);
    expect(look(looks)?.since).toBe(900);
    expect(look(looks)?.untilLookedBack).toBeUndefined();
  });

  it('is hastened only where it waits for that', () => {
    const looks = new Looks();
    looks.wait(entry('t'), ALIKE, 0, 0);
    looks.wait(entry('u'), UNREADABLE, 0, 0);
    looks.hasten('alike', 100);
    expect([look(looks, 't')?.nextAt, look(looks, 'u')?.nextAt]).toEqual([100, 1_000]);
  });

  const long = { workflowId: 'w'.repeat(100) };
  it.each<[Why, string]>([
    [IN_FLIGHT, 'task t may be this one, or that of an equal submit whose answer is on its way'],
    [UNREADABLE, 'task t may be this one, but its record cannot be read: HTTP 503'],
    [
      { kind: 'unreadable', reason: 'x'.repeat(400) } satisfies Ownership,
      `task t may be this one, but its record cannot be read: ${'x'.repeat(300)}`,
    ],
    [ALIKE, 'task t fits generation/a (image-l) and generation/b (video-g) alike'],
    [
      { kind: 'alike', searches: [keptClaim('a', long), keptClaim('b')] },
      `task t fits ${'w'.repeat(80)} (image-l) and generation/b (image-l) alike`,
    ],
  ])('says why it waits, as far as a person reads: %#', (why, words) => {
    const looks = new Looks();
    looks.wait(entry('t'), why, 0, 0);
    expect(look(looks)?.why).toBe(words);
  });
});

describe('one survey', () => {
  /** As many bytes as JSON. */
  const ofBytes = (taskId: string, bytes: number): Entry =>
    entry(taskId, { fields: { a: 'x'.repeat(bytes - 8) } });

  it('takes what is due', () => {
    const looks = new Looks();
    looks.want('later', 101);
    looks.want('now', 100);
    expect(taken(looks, 100)).toEqual(['now']);
    expect(taken(looks, 101)).toEqual(['later', 'now']);
  });

  it('forgets what nobody wants any more, and puts off what nobody would take yet', () => {
    const looks = new Looks();
    for (const id of ['t', 'u', 'v']) looks.want(id, 0);
    const found: Record<string, ReturnType<Find>> = { t: 'forget', u: { later: 700 }, v: entry('v') };
    expect(taken(looks, 0, (id) => found[id] ?? 'forget')).toEqual(['v']);
    expect([looks.has('t'), look(looks, 'u')?.nextAt, look(looks, 'v')?.nextAt]).toEqual([false, 700, 0]);
  });

  it('takes fifty tasks, the others come next', () => {
    const looks = new Looks();
    for (let n = 0; n < 51; n += 1) looks.want(`t${n}`, 0);
    const first = taken(looks, 0);
    expect(first).toHaveLength(50);
    for (const id of first) looks.forget(id);
    expect(taken(looks, 0)).toEqual(['t50']);
  });

  it.each<[string, number[], string[]]>([
    ['as many bytes as it may have', [30_000, 30_000], ['t0', 't1']],
    ['no byte more', [30_000, 30_001], ['t0']],
    ['a single task whatever it has', [70_000, 10], ['t0']],
  ])('takes %s', (_what, sizes, ids) => {
    const looks = new Looks();
    const entries = new Map(sizes.map((bytes, n) => [`t${n}`, ofBytes(`t${n}`, bytes)]));
    for (const id of entries.keys()) looks.want(id, 0);
    expect(taken(looks, 0, (id) => entries.get(id) ?? 'forget')).toEqual(ids);
    expect(looks.has('t1')).toBe(true);
  });
});
