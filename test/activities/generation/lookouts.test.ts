import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Lookouts } from '../../../src/activities/generation/lookouts.ts';

type Answer = Parameters<Lookouts['heard']>[2];

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1), toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** What is known by these answers, and which tasks are looked at to tell whether all are gone. */
function lookouts(heard: Record<string, Answer>) {
  const known = new Lookouts();
  for (const [taskId, answer] of Object.entries(heard)) known.heard('default', taskId, answer);
  const looked: string[] = [];
  const isEverythingGone = async (answer: Answer, workspace = 'default'): Promise<boolean> =>
    await known.isEverythingGone(workspace, async (taskId) => {
      looked.push(taskId);
      return answer;
    });
  return { known, looked, isEverythingGone };
}

const THREE_GONE = { a: 'not-found', b: 'not-found', c: 'not-found' } as const;

describe('a workspace whose tasks are gone', () => {
  it.each<[what: string, heard: Record<string, Answer>, others: Answer, isGone: boolean]>([
    ['is gone as a whole where three are, and no other is there', THREE_GONE, 'record', true],
    [
      'is gone where others that were there are gone as well',
      { ...THREE_GONE, x: 'record' },
      'not-found',
      true,
    ],
    ['is gone where of the others nobody can tell', { ...THREE_GONE, x: 'record' }, 'unavailable', true],
    ['is not where another one is there', { ...THREE_GONE, x: 'record' }, 'record', false],
    ['is not where two are gone', { a: 'not-found', b: 'not-found', x: 'unavailable' }, 'record', false],
    [
      'is gone where the third one is one that was there',
      { a: 'not-found', b: 'not-found', x: 'record' },
      'not-found',
      true,
    ],
  ])('%s', async (_, heard, others, isGone) => {
    expect(await lookouts(heard).isEverythingGone(others)).toBe(isGone);
  });

  it('is not gone by a task that is there again, nor by those of another workspace', async () => {
    const { known, isEverythingGone } = lookouts(THREE_GONE);
    expect(await isEverythingGone('not-found', 'other')).toBe(false);
    known.heard('default', 'a', 'record');
    expect(await isEverythingGone('unavailable')).toBe(false);
  });

  it('is not gone by what was gone ten minutes ago', async () => {
    const { known, isEverythingGone } = lookouts({ a: 'not-found', b: 'not-found' });
    vi.setSystemTime(Date.now() + 10 * 60_000 + 1);
    known.heard('default', 'c', 'not-found');
    expect(await isEverythingGone('not-found')).toBe(false);
  });

  it('is looked at by the latest three that were there, once in twenty seconds', async () => {
    const { looked, isEverythingGone } = lookouts({ v: 'record', w: 'record', x: 'record', y: 'record' });
    expect(await isEverythingGone('unavailable')).toBe(false);
    expect(looked).toEqual(['y', 'x', 'w']);
    vi.setSystemTime(Date.now() + 20_000);
    expect(await isEverythingGone('not-found')).toBe(false);
    expect(looked).toHaveLength(3);
    vi.setSystemTime(Date.now() + 1);
    expect(await isEverythingGone('not-found')).toBe(true);
    expect(looked).toHaveLength(6);
    expect(await isEverythingGone('record')).toBe(true);
  });
});
