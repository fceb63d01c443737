import { expect, it } from 'vitest';
import { CLIENTS, TASKS, type Task, type TaskClient, taskLines } from '../../compare/report/task-lines.ts';

const OTHERS = (Object.keys(CLIENTS) as TaskClient[]).filter((client) => client !== 'darkroom');

it.each(Object.keys(TASKS) as Task[])('%s takes no more lines with Darkroom than with any other', (task) => {
  const lines = taskLines(task, 'darkroom');
  expect(lines).toBeGreaterThan(0);
  const theirs = OTHERS.flatMap((client) => taskLines(task, client) ?? []);
  expect(theirs.length).toBeGreaterThan(1);
  expect(Math.min(...theirs)).toBeGreaterThanOrEqual(lines ?? 0);
});
