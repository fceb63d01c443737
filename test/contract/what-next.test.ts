import { describe, expect, it } from 'vitest';
import { FAILURES } from '../../src/contract/failures/failures.ts';
import { type Failed, whatNext } from '../../src/contract/failures/what-next.ts';

const failed = (workflowId: string, type: string, details: unknown = null) => ({
  status: 'FAILED',
  workflowId,
  failure: { type, message: 'm', details },
});
/** What is advised of a pipeline that has failed with these steps. */
const ofSteps = (steps: object, type = 'PIPELINE_FAILED') =>
  whatNext({ kind: 'pipeline', workflowId: 'p', type, details: { steps } as NonNullable<Failed['details']> });
const overdue = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`s${index}`, failed(`p/s${index}`, 'TASK_OVERDUE')]),
  );
const REJECTED = failed('p/still', 'IMAGE_GENERATION_CONTENT_REJECTED');
const CHANGED = { call: 'rerun', workflowId: 'p', change: 'still' };
const RETRIED = { call: 'retry', workflowId: 'p' };

describe('what can be done about', () => {
  it('a batch: it is started with the same rows', () => {
    expect(whatNext({ kind: 'batch', workflowId: 'b', type: 'CANCELLED' })).toEqual([
      {
        what: 'Start it again with the same rows: those that have completed are not bought again, failed ones are where it is said so (`retryFailed`, `--retry-failed`).',
        calls: [],
      },
    ]);
  });

  it('a generation whose task has no files, as there is no task: nothing by itself', () => {
    const details = { attempts: [] };
    const { nextWithoutTask } = FAILURES.OUTPUT_UNAVAILABLE;
    expect(whatNext({ kind: 'generation', workflowId: 'g', type: 'OUTPUT_UNAVAILABLE', details })).toEqual([
      { what: nextWithoutTask, calls: [] },
    ]);
  });

  it('a pipeline that has failed for good: it is retried', () => {
    const retry = [{ what: FAILURES.PIPELINE_FAILED.next, calls: [RETRIED] }];
    expect(ofSteps({ a: failed('p/a', 'IMAGE_GENERATION_FAILED'), b: { status: 'SKIPPED' } })).toEqual(retry);
  });

  it('a pipeline that was ended, or with a task that may still end: it is retried, and takes that over', () => {
    const what =
      'Try again: completed steps are taken over, and tasks that may still come to a result; what has failed is bought again.';
    expect(whatNext({ kind: 'pipeline', workflowId: 'p', type: 'CANCELLED' })).toEqual([
      { what, calls: [RETRIED] },
    ]);
    expect(ofSteps(overdue(1))).toEqual([{ what, calls: [RETRIED] }]);
  });

  it('a pipeline that was refused: it has to be changed', () => {
    expect(whatNext({ kind: 'pipeline', workflowId: 'p', type: 'INVALID_REQUEST' })).toEqual([
      { what: FAILURES.INVALID_REQUEST.next, calls: [] },
    ]);
  });

  it('a step of which a part has failed for good: it is changed', () => {
    const items = [
      { status: 'COMPLETED', workflowId: 'p/still-0', result: {} },
      failed('p/still-1', 'IMAGE_GENERATION_FAILED'),
      REJECTED,
    ];
    expect(ofSteps({ still: { status: 'PARTIAL', items } }).map(({ calls }) => calls)).toEqual([[CHANGED]]);
  });

  it.each([
    [5, ''],
    [7, ', and 2 more'],
  ])('%i tasks that may still end, beside a step to change: five are named first', (count, more) => {
    const [first, then] = ofSteps({ ...overdue(count), still: REJECTED });
    expect(first).toEqual({
      what: `Try again what may still come to a result, each by itself (bought anew where nothing is found)${more}.`,
      calls: [0, 1, 2, 3, 4].map((index) => ({ call: 'retry', workflowId: `p/s${index}` })),
    });
    expect(then?.calls).toEqual([CHANGED]);
  });

  it('a step that its budget has refused after a lost submit: by itself first, which looks for that', () => {
    const details = { attempts: [{ outcome: 'unknown' }] };
    expect(ofSteps({ clip: failed('p/clip', 'BUDGET_EXCEEDED', details) }).map(({ calls }) => calls)).toEqual(
      [
        [{ call: 'rerun', workflowId: 'p/clip', set: ['policy.budget.credits', 10] }],
        [{ call: 'rerun', workflowId: 'p', set: ['budget.credits', 10] }],
      ],
    );
  });

  it('a step without files that no task was bought for: nothing that a look could find', () => {
    const clip = failed('p/clip', 'OUTPUT_UNAVAILABLE', { attempts: [] });
    expect(ofSteps({ clip, still: REJECTED }).map(({ calls }) => calls)).toEqual([[CHANGED]]);
  });
});
