import { describe, expect, it } from 'vitest';
import { inState, isInVain } from '../../src/client/asking/run-state.ts';
import { notedTags, summaryOf } from '../../src/client/asking/run-summary.ts';
import { costTable } from '../../src/client/cost/cost-table.ts';
import { filesIn, unsent, withReferences } from '../../src/client/files/map-files.ts';
import type { BilledTask } from '../../src/temporal/bill/run-bill.ts';

const task = (more: Partial<BilledTask>): BilledTask => ({
  taskId: 't',
  workflowId: 'w',
  runId: 'r',
  model: 'image-l',
  workspace: 'default',
  tags: {},
  at: Date.UTC(2026, 10, 24, 23, 59),
  credits: 8,
  refunded: 0,
  usage: { total: 8, subscription: 8, permanent: 0 },
  outcome: 'completed',
  isCharged: true,
  ...more,
});

describe('what tasks have cost', () => {
  const night = Date.UTC(2026, 10, 25, 0, 0);
  const tasks = [
    task({ tags: { team: 'film' } }),
    task({ model: 'video-f', credits: 25, refunded: 25, outcome: 'failed', tags: { team: 'film' } }),
    task({ at: night, workspace: 'studio', credits: 10, outcome: 'overdue' }),
  ];

  it('is summed up by group, the dearest first', () => {
    const { rows, total } = costTable(tasks, ['model']);
    expect(rows).toEqual([
      { model: 'video-f', tasks: 1, credits: 25, refunded: 25 },
      { model: 'image-l', tasks: 2, credits: 18, refunded: 0 },
    ]);
    expect(total).toEqual({ tasks: 3, credits: 43, refunded: 25 });
    expect(costTable(tasks, [])).toMatchObject({ rows: [total], total });
    expect(costTable([], ['model'])).toMatchObject({ rows: [], total: { tasks: 0, credits: 0 } });
  });

  it('is told by days in their order, in UTC, and the dearest of a day first', () => {
    const late = [task({ at: night, model: 'video-g', credits: 50 }), ...tasks];
    const rows = costTable(late, ['day', 'model']).rows.map(({ day, model }) => `${day} ${model}`);
    expect(rows).toEqual([
      '2026-11-24 video-f',
      '2026-11-24 image-l',
      '2026-11-25 video-g',
      '2026-11-25 image-l',
    ]);
  });

  it('is told by tags and workspaces; null where a task has none of that name', () => {
    expect(costTable(tasks, ['tag:team', 'workspace']).rows).toEqual([
      { 'tag:team': 'film', workspace: 'default', tasks: 2, credits: 33, refunded: 25 },
      { 'tag:team': null, workspace: 'studio', tasks: 1, credits: 10, refunded: 0 },
    ]);
    expect(costTable(tasks, ['tag:toString']).rows.map((row) => row['tag:toString'])).toEqual([null]);
  });

  it('may change for tasks whose end no run has told', () => {
    const { outcome: _, ...running } = task({ credits: 3 });
    expect(costTable([...tasks, running], []).open).toEqual({ tasks: 2, credits: 13, refunded: 0 });
  });
});

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

describe('the files in a request', () => {
  const stored = { uri: 'file:///srv/1.png', sha256: 'ab', bytes: 1 };
  const bytes = new Uint8Array(1);
  const request = {
    input: { image_url: bytes, image_urls: [stored, 'https://a.example/2.png', bytes], n: 2 },
  };

  it('are named by what stands for them, wherever they are', () => {
    expect(withReferences(request, (file) => (file === bytes ? 'new' : 'old'))).toEqual({
      input: { image_url: 'new', image_urls: ['old', 'https://a.example/2.png', 'new'], n: 2 },
    });
    expect([...filesIn(request)]).toEqual([bytes, stored]);
    const { image_url, image_urls } = unsent(request).input as unknown as Record<string, string[]>;
    expect(image_url).toContain('0'.repeat(64));
    expect(image_urls?.[0]).toBe(stored.uri);
  });

  it('are looked for in plain objects and lists alone', () => {
    const odd = { when: new Date(0), none: null, bare: Object.assign(Object.create(null), { a: bytes }) };
    expect(withReferences(odd, () => 'file')).toEqual({ when: odd.when, none: null, bare: { a: 'file' } });
    expect(withReferences(odd, () => 'file').when).toBe(odd.when);
  });
});
