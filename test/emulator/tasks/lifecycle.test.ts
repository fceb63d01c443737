import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AssumptionsInput } from '../../../emulator/src/assumptions.ts';
import type { Lifecycle } from '../../../emulator/src/tasks/lifecycle.ts';
import type { Task } from '../../../emulator/src/tasks/tasks.ts';
import { NOW, newTask, OUTPUT, taskStage } from './task-stage.ts';

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** A task that was charged for ends in vain; what is stored of it, its charge and its workspace. */
function endedInVain(refunds: AssumptionsInput['refunds'], end: 'fail' | 'cancel') {
  const { tasks, ledger, lifecycle, storage } = taskStage({ refunds });
  const task = newTask();
  const { usage, model, workspace, workflow } = task;
  tasks.add(task);
  const charge = { taskId: task.id, model, workspace, workflow, usage, credits: 8, at: NOW };
  ledger.charge({ ...charge, keyId: 'key', inputHash: 'hash' });
  if (end === 'fail') lifecycle.fail(task, 'IMAGE_GENERATION_TIMEOUT', 'Too slow.');
  else lifecycle.cancel(task);
  return {
    task: storage.table('tasks').all()[0],
    charge: storage.table('charges').all()[0],
    workspace: storage.table('workspaces').all()[0],
  };
}

describe('a task that ends in vain', () => {
  test.each<[AssumptionsInput['refunds'], 'fail' | 'cancel', string]>([
    ['all', 'fail', 'TIMEOUT'],
    ['all', 'cancel', 'CANCELED'],
    [['FAILED', 'TIMEOUT'], 'fail', 'TIMEOUT'],
    [['CANCELED'], 'cancel', 'CANCELED'],
  ])('gives its credits back where the refunds are %j: %s', (refunds, end, reason) => {
    const { task, charge, workspace } = endedInVain(refunds, end);
    expect(task).toMatchObject({ usage: { total: 0, subscription: 0, permanent: 0 }, completedAt: NOW });
    expect(charge).toMatchObject({
      endedInVain: true,
      refund: { at: NOW, reason, credits: 8, usage: { total: 8, subscription: 5, permanent: 3 } },
    });
    expect(workspace).toMatchObject({ pools: { permanent: 13, subscription: 25 } });
  });

  test.each<[AssumptionsInput['refunds'], 'fail' | 'cancel']>([
    ['none', 'fail'],
    ['none', 'cancel'],
    [['CANCELED', 'FAILED'], 'fail'],
    [['TIMEOUT'], 'cancel'],
  ])('keeps them where the refunds are %j: %s', (refunds, end) => {
    const { task, charge, workspace } = endedInVain(refunds, end);
    expect(task).toMatchObject({ usage: { total: 8, subscription: 5, permanent: 3 } });
    expect(charge).toMatchObject({ endedInVain: true, refund: null });
    expect(workspace).toMatchObject({ pools: { permanent: 10, subscription: 20 } });
  });
});

test.each<[string, (lifecycle: Lifecycle, task: Task) => unknown, Partial<Task>]>([
  ['task.started', (lifecycle, task) => lifecycle.start(task), { status: 'IN_PROGRESS', startedAt: NOW }],
  [
    'task.completed',
    (lifecycle, task) => lifecycle.complete(task, [OUTPUT], { words: [] }),
    { status: 'COMPLETED', completedAt: NOW, outputs: [OUTPUT], extra: { words: [] } },
  ],
  [
    'task.failed',
    (lifecycle, task) => lifecycle.fail(task, 'IMAGE_GENERATION_FAILED', 'No luck.'),
    { status: 'FAILED', completedAt: NOW, code: 'IMAGE_GENERATION_FAILED', message: 'No luck.' },
  ],
  ['task.canceled', (lifecycle, task) => lifecycle.cancel(task), { status: 'CANCELED', completedAt: NOW }],
])('%s: the move is stored, and published unless the task has vanished', (event, move, moved) => {
  for (const vanished of [false, true]) {
    const { lifecycle, storage, events } = taskStage();
    expect(move(lifecycle, newTask({ vanished }))).toBe(true);
    expect(storage.table('tasks').all()).toEqual([newTask({ vanished, ...moved })]);
    expect(events).toEqual(vanished ? [] : [event]);
  }
});

test('a task that vanishes is stored as gone', () => {
  const { lifecycle, storage, events } = taskStage();
  lifecycle.vanish(newTask());
  expect(storage.table('tasks').all()).toEqual([newTask({ vanished: true })]);
  expect(events).toEqual([]);
});
