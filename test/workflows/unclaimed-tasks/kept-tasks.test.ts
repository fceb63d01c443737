import { describe, expect, it } from 'vitest';
import { fieldDigests } from '../../../src/api/input/field-digests.ts';
import type { TaskNotice } from '../../../src/contract/entities/task-notices.ts';
import type { KeptTask } from '../../../src/contract/entities/unclaimed-tasks.ts';
import { jsonBytes } from '../../../src/contract/json-bytes.ts';
import { KeptTasks } from '../../../src/workflows/unclaimed-tasks/kept-tasks.ts';
import { entry, FOX } from './examples.ts';

const LIFE = 10_000;
const AT_LEAST = 100;
const nobody = (): boolean => false;
const notice = (taskId: string, over: Partial<TaskNotice> = {}): TaskNotice => ({
  taskId,
  arrivedAt: 0,
  createdAt: null,
  fields: FOX,
  ...over,
});
/** In looked time; each task of these times is as large as the others. */
const ADDED = 1_000;
const kept = (taskId: string, addedAt = ADDED): KeptTask => [taskId, 0, null, addedAt, FOX];
const SIZE = jsonBytes(kept('t'));

/** Room for so many tasks. */
const tasks = (count: number, ...there: KeptTask[]): KeptTasks =>
  new KeptTasks({ bytes: count * SIZE, life: LIFE, lifeAtLeast: AT_LEAST }, there);
const ids = (of: KeptTasks): string[] => [...of.values()].map(({ taskId }) => taskId);
const NOTHING_GONE = { gone: [], early: 0 };

describe('a task that is told of', () => {
  it('with its files loses these before any task has to go', () => {
    const all = tasks(3);
    const artifacts = ['http://127.0.0.1/a.png'];
    all.add(notice('t', { artifacts }), 0, nobody);
    all.add(notice('t'), 0, nobody);
    expect(all.get('t')).toMatchObject({ artifacts });
    for (const id of ['u', 'v']) expect(all.add(notice(id), 0, nobody)).toEqual(NOTHING_GONE);
    expect(ids(all)).toEqual(['t', 'u', 'v']);
    expect(all.get('t')).not.toHaveProperty('artifacts');
  });

  it('again is as new, and what was known of it stays known', () => {
    const all = tasks(5);
    all.add(notice('t', { arrivedAt: 5, createdAt: 4, owner: 'generation/a' }), 0, nobody);
    all.learn('t', { endedWithoutResult: true, family: 'image' });
    all.add(notice('u'), 0, nobody);
    all.add(notice('t', { arrivedAt: 9, fields: fieldDigests({ prompt: 'hare' }) }), 7, nobody);
    expect(ids(all)).toEqual(['u', 't']);
    expect(all.get('t')).toEqual(
      entry('t', {
        arrivedAt: 5,
        createdAt: 4,
        owner: 'generation/a',
        endedWithoutResult: true,
        family: 'image',
        addedAt: 7,
      }),
    );
    all.add(notice('t', { arrivedAt: 3, createdAt: 2, owner: 'generation/b' }), 8, nobody);
    expect(all.get('t')).toMatchObject({ arrivedAt: 3, createdAt: 4, owner: 'generation/b' });
    // Told by a receiver that knows that the clock of records is behind.
    all.add(notice('t', { createdAt: 6 }), 9, nobody);
    expect(all.get('t')).toMatchObject({ createdAt: 6 });
  });

  it('again needs its room once', () => {
    const all = tasks(2, kept('t'));
    expect(all.add(notice('t'), ADDED, nobody)).toEqual(NOTHING_GONE);
    expect(all.add(notice('u'), ADDED, nobody)).toEqual(NOTHING_GONE);
    expect(ids(all)).toEqual(['t', 'u']);
  });
});

describe('for lack of room', () => {
  it.each<[string, number, (taskId: string) => boolean, { gone: string[]; early: number }]>([
    ['the oldest goes, early', AT_LEAST - 1, nobody, { gone: ['t'], early: 1 }],
    ['the oldest goes in time', AT_LEAST, nobody, { gone: ['t'], early: 0 }],
    ['one goes that nobody wants', AT_LEAST, (id) => id === 't', { gone: ['u'], early: 0 }],
    [
      'one goes that somebody wants, early, where all are wanted',
      5_000,
      () => true,
      { gone: ['t'], early: 1 },
    ],
  ])('%s', (_what, age, wanted, expected) => {
    const all = tasks(2, kept('t'), kept('u'));
    expect(all.add(notice('v'), ADDED + age, wanted)).toEqual(expected);
    expect(all.size).toBe(2);
  });

  it('as many go as have to', () => {
    const all = tasks(3, kept('t'), kept('u'), kept('v'));
    const large = notice('w', { owner: 'x'.repeat(SIZE / 2) });
    expect(all.add(large, ADDED + AT_LEAST, nobody)).toEqual({ gone: ['t', 'u'], early: 0 });
    all.drop('w');
    expect(all.add(notice('x'), ADDED, nobody)).toEqual(NOTHING_GONE);
    expect(all.add(notice('y'), ADDED, nobody)).toEqual(NOTHING_GONE);
    expect(ids(all)).toEqual(['v', 'x', 'y']);
  });

  it('a task that is larger than all the room goes itself', () => {
    const all = tasks(0);
    expect(all.add(notice('t'), 0, nobody)).toEqual({ gone: ['t'], early: 1 });
    expect(all.size).toBe(0);
  });

  it('a task that is put back, or whose record has told something, is counted once', () => {
    const all = tasks(2, kept('t'));
    all.restore(entry('t', { addedAt: ADDED }));
    all.learn('t', { fields: FOX, family: 'image' });
    all.learn('nobody’s', { family: 'image' });
    expect(all.add(notice('u'), ADDED, nobody)).toEqual(NOTHING_GONE);
    expect(ids(all)).toEqual(['t', 'u']);
  });
});

it('tasks are forgotten after their life', () => {
  const all = tasks(5, kept('t', 0), kept('u', 1));
  expect(all.firstExpiry).toBe(LIFE);
  expect(all.dropExpired(LIFE - 1)).toEqual([]);
  expect(all.dropExpired(LIFE)).toEqual(['t']);
  expect([ids(all), all.firstExpiry]).toEqual([['u'], LIFE + 1]);
  expect(all.dropExpired(LIFE + 1)).toEqual(['u']);
  expect(all.firstExpiry).toBeUndefined();
});

it.each<[string, KeptTask]>([
  ['nothing else is known', kept('t')],
  ['its owner is known', ['t', 5, 4, 3, FOX, { owner: 'generation/a' }]],
  ['it has failed', ['t', 5, 4, 3, FOX, { endedWithoutResult: true }]],
  ['both', ['t', 5, 4, 3, FOX, { owner: 'generation/a', endedWithoutResult: true }]],
])('a task is carried over as it is, where %s', (_what, task) => {
  expect(tasks(5, task).packed()).toStrictEqual([task]);
});
