import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { assumptionsSchema } from '../../../emulator/src/assumptions.ts';
import { draw } from '../../../emulator/src/faults/draw.ts';
import { dueTimes, type RenderOutcome, Scheduler } from '../../../emulator/src/tasks/scheduler.ts';
import type { Fate, Task } from '../../../emulator/src/tasks/tasks.ts';
import { imageL } from '../../../src/api/models/image-l.ts';
import { FINISH, NOW, newTask, START, taskStage } from './task-stage.ts';

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const RENDERED: RenderOutcome = { kind: 'rendered', outputs: [], extra: { words: [] } };

/** A scheduler whose renderings end when a test says so. */
function schedulerStage() {
  const stage = taskStage();
  const rendering = Promise.withResolvers<RenderOutcome>();
  const render = vi.fn(() => rendering.promise);
  const scheduler = new Scheduler({ tasks: stage.tasks, lifecycle: stage.lifecycle, render });
  return { ...stage, scheduler, rendering, render };
}

/** Lets the time pass, and what waits for promises go on. */
async function untilTime(time: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(time - Date.now());
}

const stateOf = ({ status, vanished }: Task) => (vanished ? `${status}, vanished` : status);

describe('when a task starts and finishes', () => {
  const assumptions = assumptionsSchema.parse({ queueTime: [300, 1200], runTimeSpread: 0.2 });

  test('is drawn from its id and the seed within the assumed limits, and divided by the speed', () => {
    const pace = { speed: 4, durations: {}, seed: 3 };
    const queue = 300 + draw(3, 'task-1', 'queue') * 900;
    const run = imageL.typicalSeconds * (800 + draw(3, 'task-1', 'run') * 400);
    const { startDue, finishDue } = dueTimes(imageL, 'task-1', NOW, pace, assumptions);
    expect(startDue - NOW).toBeCloseTo(queue / 4, 2);
    expect(finishDue - startDue).toBeCloseTo(run / 4, 2);
  });

  test.each([
    [
      { queue: 100, run: 200 },
      { startDue: START, finishDue: FINISH },
    ],
    [
      { queue: 0, run: 0 },
      { startDue: NOW, finishDue: NOW },
    ],
  ])('can be said: %j', (durations, due) => {
    expect(dueTimes(imageL, 'task-1', NOW, { speed: 4, durations, seed: 3 }, assumptions)).toEqual(due);
  });
});

test.each<[Fate, [start: string, finish: string], string[]]>([
  [{ kind: 'complete' }, ['IN_PROGRESS', 'COMPLETED'], ['task.started', 'task.completed']],
  [
    { kind: 'fail', code: 'IMAGE_GENERATION_FAILED', message: 'No luck.' },
    ['IN_PROGRESS', 'FAILED'],
    ['task.started', 'task.failed'],
  ],
  [{ kind: 'cancel' }, ['IN_PROGRESS', 'CANCELED'], ['task.started', 'task.canceled']],
  [{ kind: 'hang' }, ['IN_PROGRESS', 'IN_PROGRESS'], ['task.started']],
  [{ kind: 'vanish', when: 'accepted' }, ['IN_QUEUE, vanished', 'IN_QUEUE, vanished'], []],
  [{ kind: 'vanish', when: 'started' }, ['IN_PROGRESS, vanished', 'IN_PROGRESS, vanished'], ['task.started']],
  [{ kind: 'vanish', when: 'finished' }, ['IN_PROGRESS', 'IN_PROGRESS, vanished'], ['task.started']],
])('a task meets its fate %j when it is due, and not before', async (fate, states, published) => {
  const { scheduler, rendering, render, storage, events } = schedulerStage();
  rendering.resolve(RENDERED);
  const task = newTask({ fate });
  const [started, finished] = states;
  const accepted = fate.kind === 'vanish' && fate.when === 'accepted' ? started : 'IN_QUEUE';
  scheduler.take(task);
  const seen = [stateOf(task)];
  for (const time of [START - 1, START, FINISH - 1, FINISH]) {
    await untilTime(time);
    seen.push(stateOf(task));
  }
  expect(seen).toEqual([accepted, accepted, started, started, finished]);
  expect(events).toEqual(published);
  expect(storage.table('tasks').all()).toEqual([task]);
  expect(render).toHaveBeenCalledTimes(fate.kind === 'complete' ? 1 : 0);
  expect(vi.getTimerCount()).toBe(0);
});

test('a task finishes when its time is over and its files are rendered, with them or with why there are none', async () => {
  const failed: RenderOutcome = { kind: 'failed', code: 'IMAGE_GENERATION_TIMEOUT', message: 'Too slow.' };
  const ends = [];
  for (const outcome of [RENDERED, failed]) {
    const { scheduler, rendering } = schedulerStage();
    const task = newTask({ startDue: Date.now(), finishDue: Date.now() });
    scheduler.take(task);
    await untilTime(Date.now() + 1000);
    ends.push(task.status);
    rendering.resolve(outcome);
    await untilTime(Date.now());
    ends.push([task.status, task.extra, task.code, task.message]);
  }
  expect(ends).toEqual([
    'IN_PROGRESS',
    ['COMPLETED', { words: [] }, null, null],
    'IN_PROGRESS',
    ['FAILED', {}, 'IMAGE_GENERATION_TIMEOUT', 'Too slow.'],
  ]);
});

test.each<[string, Partial<Task>]>([
  ['completed', { status: 'COMPLETED' }],
  ['failed', { status: 'FAILED' }],
  ['vanished', { vanished: true }],
])('a task that has %s is left alone', async (_state, state) => {
  const { scheduler, render, events } = schedulerStage();
  scheduler.take(newTask(state));
  await untilTime(FINISH);
  expect(render).not.toHaveBeenCalled();
  expect(events).toEqual([]);
});

test('a task that an earlier process left in progress goes on from there', async () => {
  const { scheduler, rendering, events } = schedulerStage();
  rendering.resolve(RENDERED);
  scheduler.take(newTask({ status: 'IN_PROGRESS', startedAt: START }));
  await untilTime(FINISH);
  expect(events).toEqual(['task.completed']);
});

describe('a task that is forced', () => {
  test.each([
    [{}, { startDue: START, finishDue: FINISH }],
    [{ start: START + 1000 }, { startDue: START + 1000, finishDue: FINISH }],
    [{ finish: FINISH + 1000 }, { startDue: START, finishDue: FINISH + 1000 }],
  ])('goes by the new times alone: %j', async (due, stored) => {
    const { scheduler, storage } = schedulerStage();
    const task = newTask();
    scheduler.take(task);
    scheduler.force(task, { kind: 'cancel' }, due);
    expect(storage.table('tasks').all()).toEqual([newTask({ fate: { kind: 'cancel' }, ...stored })]);
    await untilTime(stored.startDue - 1);
    expect(task.status).toBe('IN_QUEUE');
    await untilTime(stored.startDue);
    expect(task.status).toBe('IN_PROGRESS');
    await untilTime(Math.max(stored.finishDue, stored.startDue + 1));
    expect(task.status).toBe('CANCELED');
  });

  test.each<[string, (stage: ReturnType<typeof schedulerStage>, task: Task) => void]>([
    ['forced to another end', ({ scheduler }, task) => scheduler.force(task, { kind: 'hang' })],
    ['gone', ({ lifecycle }, task) => lifecycle.vanish(task)],
    ['in an emulator that has closed', ({ scheduler }) => scheduler.close()],
  ])('does not get files that are rendered once it is %s', async (_state, change) => {
    const stage = schedulerStage();
    const task = newTask();
    stage.scheduler.take(task);
    await untilTime(FINISH);
    change(stage, task);
    stage.rendering.resolve(RENDERED);
    await untilTime(FINISH + 1000);
    expect([task.status, stage.events]).toEqual(['IN_PROGRESS', ['task.started']]);
  });
});

test.each<[string, (scheduler: Scheduler, task: Task) => void]>([
  ['is dropped', (scheduler, task) => scheduler.drop(task)],
  ['is dropped with all others', (scheduler) => scheduler.dropAll()],
  ['belongs to a scheduler that closes', (scheduler) => scheduler.close()],
])('nothing is waited for where a task %s', (_state, leave) => {
  const { scheduler } = schedulerStage();
  const task = newTask();
  scheduler.take(task);
  expect(vi.getTimerCount()).toBe(1);
  leave(scheduler, task);
  expect(vi.getTimerCount()).toBe(0);
});

test('a task that is due in a month is waited for in as few turns as timers can', async () => {
  const { scheduler } = schedulerStage();
  const startDue = NOW + 30 * 24 * 60 * 60 * 1000;
  const task = newTask({ startDue, fate: { kind: 'hang' } });
  scheduler.take(task);
  await vi.advanceTimersToNextTimerAsync();
  expect([Date.now(), task.status]).toEqual([NOW + 2 ** 31 - 1, 'IN_QUEUE']);
  await vi.advanceTimersToNextTimerAsync();
  expect([Date.now(), task.status]).toEqual([startDue, 'IN_PROGRESS']);
});
