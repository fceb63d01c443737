import { describe, expect, it } from 'vitest';
import { costTable } from '../../src/client/cost/cost-table.ts';
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
