import { describe, expect, it } from 'vitest';
import { inState, isInVain } from '../../src/client/asking/run-state.ts';
import { notedTags, summaryOf } from '../../src/client/asking/run-summary.ts';

describe('a state that runs are asked for', () => {
  it.each([
    ['running', ['ExecutionStatus', '=', 'Running'], false],
    ['completed', ['ExecutionStatus', '=', 'Completed'], false],
    ['failed', ['ExecutionStatus', '=', 'Failed'], true],
    ['canceled', ['ExecutionStatus', '=', 'Canceled'], true],
    ['cancelled', ['ExecutionStatus', '=', 'Canceled'], true],
    ['terminated', ['ExecutionStatus', '=', 'Terminated'], true],
    ['timed out', ['ExecutionStatus', '=', 'TimedOut'], true],
    ['needs a decision', ['DarkroomState', '=', 'needs a decision'], false],
    ['submitting again', ['DarkroomState', '=', 'submitting again'], false],
  ])('%s', (state, condition, inVain) => {
    expect([inState(state), isInVain(state)]).toEqual([condition, inVain]);
  });

  it('is one that there is: no run in it would read as nothing to look at', () => {
    expect(() => inState('runing')).toThrow(
      /^there is no state "runing"; did you mean running\? States: running, completed, failed, .*, submitting again$/,
    );
    expect(() => inState('zzzzzzzzzz')).toThrow(/^there is no state "zzzzzzzzzz" States: running, /);
    expect(() => inState('toString')).toThrow(RangeError);
    expect(isInVain('toString')).toBe(false);
  });
});

describe('a run in a list', () => {
  const run = {
    workflowId: 'generation/1',
    runId: 'r',
    type: 'generation',
    status: 'RUNNING',
    startedAt: new Date(0),
    closedAt: undefined,
  };

  it('has what is searched for as words, or as lists of one', () => {
    const attributes = {
      DarkroomState: ['needs a decision'],
      DarkroomModel: 'image-l',
      DarkroomWorkspace: [7],
    };
    expect(summaryOf({ ...run, attributes } as never)).toEqual({
      ...run,
      state: 'needs a decision',
      model: 'image-l',
      workspace: null,
      startedAt: '1970-01-01T00:00:00.000Z',
      closedAt: null,
    });
    const closed = summaryOf({ ...run, attributes: {}, closedAt: new Date(1_000) });
    expect(closed).toMatchObject({ state: null, closedAt: '1970-01-01T00:00:01.000Z' });
  });

  it('has the tags that are noted in its memo', () => {
    expect(notedTags({ tags: { team: 'film' } })).toEqual({ team: 'film' });
    expect([notedTags({}), notedTags({ tags: 'film' })]).toEqual([undefined, undefined]);
  });
});
