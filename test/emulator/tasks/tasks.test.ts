import { expect, test } from 'vitest';
import type { Change } from '../../../emulator/src/storage/changes.ts';
import { promptOf, resultCount } from '../../../emulator/src/tasks/input-meaning.ts';
import { newTask, taskStage } from './task-stage.ts';

test.each([
  ['none while there is room', ['COMPLETED', 'COMPLETED'], ['1', '2']],
  ['the oldest finished one', ['IN_PROGRESS', 'CANCELED', 'FAILED'], ['1', '3']],
  ['one for each that comes', ['COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED'], ['3', '4']],
  ['none that is unfinished', ['IN_QUEUE', 'IN_PROGRESS', 'IN_QUEUE'], ['1', '2', '3']],
] as const)('of more than two tasks are forgotten: %s', (_which, statuses, kept) => {
  const { tasks, storage } = taskStage();
  for (const [index, status] of statuses.entries()) tasks.add(newTask({ id: String(index + 1), status }));
  expect(tasks.all().map(({ id }) => id)).toEqual(kept);
  expect(storage.table('tasks').all()).toEqual(tasks.all());
});

test('listeners are told which task has changed', () => {
  const { tasks, changes } = taskStage();
  const heard: Change[] = [];
  changes.subscribe((change) => heard.push(change));
  tasks.add(newTask());
  expect(heard).toEqual([{ kind: 'task', id: 'task-1' }]);
});

test.each([
  [{}, 1],
  [{ n: 2 }, 2],
  [{ num_images: 3 }, 3],
  [{ num_images: 3, n: 2 }, 3],
  [{ n: '2' }, 1],
])('the input %j asks for results: %i', (input, count) => {
  expect(resultCount(input)).toBe(count);
});

test.each([
  [{}, ''],
  [{ prompt: 'a fox' }, 'a fox'],
  [{ text: 'hello', prompt: 'warmly' }, 'hello'],
  [{ prompt: 5 }, ''],
])('the input %j is about %j', (input, prompt) => {
  expect(promptOf(input)).toBe(prompt);
});
