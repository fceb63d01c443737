import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../../src/contract/generation.ts';
import type { StepItem } from '../../../src/contract/pipeline.ts';
import {
  hasBoughtNothing,
  hasItemBoughtNothing,
  leavesTask,
} from '../../../src/contract/purchases/bought-nothing.ts';
import { askedOf, countedBefore } from '../../../src/contract/purchases/told-by-end.ts';
import { tasksOf } from '../../../src/contract/purchases/told-tasks.ts';
import { skippedBecause } from '../../../src/contract/steps/step-result.ts';

const credits = (total: number) => ({ total, subscription: total, permanent: 0 });
const attempt = (taskId: string | null, total: number, outcome = 'failed') => ({
  taskId,
  outcome,
  usage: credits(total),
});
const failed = (details: object | null): StepItem => ({
  status: 'FAILED',
  workflowId: 'p/a',
  failure: { type: 'FAILED', message: 'no', details },
});
const SKIPPED = skippedBecause('a person has skipped it');
const completed = (result: object): StepItem =>
  ({ status: 'COMPLETED', workflowId: 'p/a', result }) as unknown as StepItem; // as much of one as is read

describe('the tasks that a generation tells of', () => {
  it('are those of its attempts, and the one that it held, with what is left of its usage', () => {
    const attempts = [attempt('t-1', 5), attempt(null, 0, 'rejected')] as never;
    expect(tasksOf({ attempts, usage: credits(13), taskId: 't-2' })).toEqual([
      ['t-1', credits(5)],
      ['t-2', credits(8)],
    ]);
    expect(tasksOf({ attempts, usage: credits(5) })).toEqual([['t-1', credits(5)]]);
    expect(tasksOf({})).toEqual([]);
  });
});

describe('a failed run has bought nothing', () => {
  const NOTHING = { charged: credits(0) };
  const refused = { attempts: [attempt(null, 0, 'rejected')], ...NOTHING };
  const bought = { attempts: [...refused.attempts, attempt('t-1', 5)], charged: credits(5) };

  it.each<[details: unknown, is: boolean]>([
    [refused, true],
    [{ attempts: [], ...NOTHING }, true],
    // It was ended from outside: its last submit has told nothing.
    [{ attempts: [] }, false],
    [bought, false],
    [{}, false],
    [null, false],
    ['text', false],
    [NOTHING, false],
    [{ steps: { a: failed(refused) }, ...NOTHING }, false],
    [{ steps: {}, ...NOTHING, boughtNothing: true }, true],
  ])('by %.70j: %s', (details, is) => {
    expect(hasBoughtNothing(details)).toBe(is);
  });

  it.each<[item: StepItem, is: boolean]>([
    [failed(refused), true],
    [failed(bought), false],
    [failed(null), false],
    [SKIPPED, true],
    [completed({}), false],
  ])('%#: by what stands for a step', (item, is) => {
    expect(hasItemBoughtNothing(item)).toBe(is);
  });
});

describe('a failed generation may have left a task behind it', () => {
  const tried = (...outcomes: string[]) => ({
    attempts: outcomes.map((outcome, index) => attempt(`t-${index}`, 5, outcome)),
  });

  it.each<[type: string, details: object | null, is: boolean]>([
    ['TASK_OVERDUE', tried('failed', 'overdue'), true],
    ['BUDGET_EXCEEDED', tried('unknown'), true],
    ['IMAGE_GENERATION_INSUFFICIENT_CREDITS', tried('vanished', 'rejected'), true],
    ['OUTPUT_UNAVAILABLE', tried('completed'), true],
    ['OUTPUT_UNAVAILABLE', tried(), false],
    ['TASK_CANCELED', tried('canceled'), false],
    ['IMAGE_GENERATION_FAILED', tried('rejected', 'failed'), false],
    ['CANCELLED', { ...tried('failed'), taskId: 't-1' }, true],
    ['CANCELLED', { ...tried('failed'), taskId: 't-0' }, false],
    ['TERMINATED', null, true],
    ['TASK_OVERDUE', { usage: credits(5) }, true],
    ['IMAGE_GENERATION_FAILED', null, false],
  ])('by %s after %j: %s', (type, details, is) => {
    expect(leavesTask({ type, details })).toBe(is);
  });

  it('which its last attempt has not, where only that is asked', () => {
    const last = (all: readonly Attempt[]) => all.slice(-1);
    const failure = { type: 'BUDGET_EXCEEDED', details: tried('unknown', 'failed') };
    expect(leavesTask(failure)).toBe(true);
    expect(leavesTask(failure, last)).toBe(false);
  });
});

describe('a generation that was ended from outside', () => {
  const ended = { attempts: [attempt('t-1', 5)], usage: credits(13), taskId: 't-2' };

  it('was asked for its tasks, where it has not told for itself what it was charged', () => {
    expect(askedOf(failed(ended))).toEqual([
      ['t-1', credits(5)],
      ['t-2', credits(8)],
    ]);
    expect(askedOf(failed({ ...ended, charged: credits(13) }))).toEqual([]);
    expect(askedOf(failed(null))).toEqual([]);
    expect(askedOf(completed(ended))).toEqual([]);
  });

  const before = { workflowId: 'p/a', asked: ['t-1', 't-9'] } as never;
  it.each<[what: string, item: StepItem, total: number | undefined]>([
    ['what was counted with the try before it', failed(ended), 5],
    ['the same where it has completed', completed({ ...ended, charged: credits(5) }), 5],
    ['nothing where it is charged less', completed({ ...ended, charged: credits(4) }), undefined],
    ['nothing of other tasks', failed({ ...ended, attempts: [attempt('t-3', 5)] }), undefined],
    ['nothing of none', failed(null), undefined],
  ])('counts %s', (_, item, total) => {
    expect(countedBefore(item, before)).toEqual(total === undefined ? undefined : credits(total));
  });

  it('counts nothing again of a try by another name, or of none', () => {
    expect(countedBefore(failed(ended), { workflowId: 'p/b', asked: ['t-1'] } as never)).toBeUndefined();
    expect(countedBefore(failed(ended), { workflowId: 'p/a' } as never)).toBeUndefined();
    expect(countedBefore(failed(ended), undefined)).toBeUndefined();
  });
});
