import { describe, expect, it } from 'vitest';
import type { StepItem } from '../../../src/contract/pipeline.ts';
import { hasBoughtNothing, leavesTask } from '../../../src/contract/purchases/bought-nothing.ts';
import { askedOf, countedBefore } from '../../../src/contract/purchases/told-by-end.ts';
import { tasksOf } from '../../../src/contract/purchases/told-tasks.ts';

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
const SKIPPED = { status: 'SKIPPED', workflowId: null, failure: { details: null } };
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
  const refused = { attempts: [attempt(null, 0, 'rejected')] };
  const bought = { attempts: [...refused.attempts, attempt('t-1', 5)] };

  it.each<[details: unknown, is: boolean]>([
    [refused, true],
    [{ attempts: [] }, true],
    [bought, false],
    [{}, false],
    [null, false],
    ['text', false],
    [{ steps: {} }, true],
    [{ steps: { a: failed(refused), b: SKIPPED } }, true],
    [{ steps: { a: failed(refused), b: failed(bought) } }, false],
    [{ steps: { a: failed(null) } }, false],
    [{ steps: { a: completed({}) } }, false],
    [{ steps: { a: { status: 'FAILED', items: [failed(refused), failed(bought)] } } }, false],
    [{ steps: { a: { status: 'FAILED', items: [failed(refused), SKIPPED] } } }, true],
    // Of the steps alone: what stands beside them is of the pipeline.
    [{ ...refused, steps: { a: failed(bought) } }, false],
  ])('by %.70j: %s', (details, is) => {
    expect(hasBoughtNothing(details)).toBe(is);
  });

  it.each([
    ['TASK_OVERDUE', bought, true],
    ['CANCELLED', bought, true],
    ['TERMINATED', null, true],
    ['CANCELLED', refused, false],
    ['TASK_CANCELED', bought, false],
    ['IMAGE_GENERATION_FAILED', bought, false],
  ])('may leave a task behind it, by %s and what it has bought: %#', (type, details, is) => {
    expect(leavesTask({ type, details })).toBe(is);
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
