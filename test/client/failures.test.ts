import { describe, expect, it } from 'vitest';
import {
  ContentRejectedError,
  RunTerminatedError,
  TaskFailedError,
  TaskOverdueError,
  TaskTimeoutError,
} from '../../src/client/failures/failure-classes.ts';
import { failureError } from '../../src/client/failures/failure-error.ts';
import { RunFailedError } from '../../src/client/failures/run-failed-error.ts';
import { FAILURES } from '../../src/contract/failures/failures.ts';

const usage = { total: 16, subscription: 16, permanent: 0 };
const failure = {
  kind: 'generation',
  workflowId: 'generation/order-17',
  type: 'IMAGE_GENERATION_CONTENT_REJECTED',
  message: 'the picture was refused',
  details: {
    attempts: [
      { taskId: 't1', outcome: 'failed', code: null, usage, settledBy: 'poll', adopted: false },
      { taskId: 't2', outcome: 'failed', code: null, usage, settledBy: 'poll', adopted: false },
    ],
    usage,
    charged: { ...usage, total: 8 },
  },
} as const;

describe('the error of a failed run', () => {
  it('tells in its message what happened, what was tried, what it cost and what to do', () => {
    const error = failureError({
      ...failure,
      details: { ...failure.details, attempts: [...failure.details.attempts] },
    });
    expect(error).toBeInstanceOf(ContentRejectedError);
    expect(error).toMatchObject({
      name: 'ContentRejectedError',
      code: 'CONTENT_REJECTED',
      usage: { total: 16 },
    });
    expect(error.message.split('\n')).toEqual([
      'IMAGE_GENERATION_CONTENT_REJECTED: the picture was refused',
      '  generation/order-17: 2 attempts (failed, failed), 16 credits spent, 8 of them by earlier runs',
      expect.stringContaining('Change the prompt'),
    ]);
  });

  it('names every wrong field in its message', () => {
    const errors = [
      { path: 'input.n', message: 'must be an integer from 1 to 4; got 9' },
      { path: 'input.prompt', message: 'is required: a string' },
    ];
    const details = { ...failure.details, attempts: [], errors };
    const error = failureError({ ...failure, type: 'INVALID_REQUEST', details });
    for (const { path, message } of errors) expect(error.message).toContain(`${path} ${message}`);
    expect(error.errors).toEqual(errors);
  });

  it('says how to try again where the same request may succeed', () => {
    const error = failureError({ ...failure, type: 'VIDEO_GENERATION_TIMEOUT', details: null });
    expect(error).toBeInstanceOf(TaskTimeoutError);
    expect(error.message).toContain('darkroom.retry("generation/order-17")');
    expect(error.message).toContain('what it cost is not known');
  });

  it.each([
    ['TASK_OVERDUE', TaskOverdueError],
    ['TerminatedFailure', RunTerminatedError],
    ['IMAGE_GENERATION_FAILED', TaskFailedError],
  ])(
    'says of a pipeline whose step has failed as %s to retry it, and has that one’s error as its cause',
    (type, Cause) => {
      const cause = { type, message: 'm', details: null };
      const step = { status: 'FAILED', workflowId: 'pipeline/p/still', failure: cause } as const;
      const details = { status: 'FAILED', steps: { still: step }, usage, charged: usage } as const;
      const workflowId = 'pipeline/p';
      const error = failureError({
        ...failure,
        kind: 'pipeline',
        workflowId,
        type: 'PIPELINE_FAILED',
        details,
      });
      expect(error.advice).toContain('darkroom.retry("pipeline/p")');
      expect(error.cause).toBeInstanceOf(Cause);
      expect(error.cause).toMatchObject({ type, workflowId: 'pipeline/p/still', kind: 'generation' });
    },
  );

  it('takes over first what may still end, where another step needs a change, for which it names no call', () => {
    const step = (type: string, name: string) => {
      const cause = { type, message: 'm', details: null };
      return { status: 'FAILED', workflowId: `pipeline/p/${name}`, failure: cause } as const;
    };
    const steps = {
      late: step('TASK_OVERDUE', 'late'),
      bad: step('IMAGE_GENERATION_CONTENT_REJECTED', 'bad'),
    };
    const details = { status: 'FAILED', steps, usage, charged: usage } as const;
    const { advice } = failureError({ ...failure, kind: 'pipeline', type: 'PIPELINE_FAILED', details });
    expect(advice.match(/darkroom\.\w+\(.*?\)/g)).toEqual(['darkroom.retry("pipeline/p/late")']);
    expect(advice).toContain('with the step changed');
  });

  it.each([
    ['SUBMISSION_UNKNOWN', '{"policy":{"reconcile":{"otherwise":"resubmit"}}}'],
    ['BUDGET_EXCEEDED', '{"policy":{"budget":{"credits":32}}}'],
  ])('names the change with which a run that ended as %s can succeed', (type, change) => {
    const details = { ...failure.details, attempts: [] };
    const { advice } = failureError({ ...failure, type, details });
    expect(advice).toContain(`In code: darkroom.rerun("generation/order-17", ${change})`);
  });

  it('says of what was ended from outside to retry it', () => {
    const ended = { ...failure, type: 'TERMINATED', details: null } as const;
    expect(failureError(ended).advice).toContain('darkroom.retry(');
    expect(failureError({ ...ended, kind: 'pipeline' }).advice).toContain('darkroom.retry(');
  });

  it('has a class of its own for every failure, and the common one for a code that nobody knows', () => {
    const types = Object.keys(FAILURES);
    const names = types.map((type) => failureError({ ...failure, type, details: null }).name);
    expect(new Set(names).size).toBe(types.length);
    expect(names).not.toContain('RunFailedError');
    const unknown = failureError({ ...failure, type: 'SOMETHING_NEW', details: null });
    expect(unknown.constructor).toBe(RunFailedError);
    expect(unknown).toMatchObject({ name: 'RunFailedError', type: 'SOMETHING_NEW' });
  });
});
