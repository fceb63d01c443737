import { setTimeout as passed } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { TaskRoutes } from '../../src/webhooks/routing/task-routes.ts';
import { VisibilityRoutes } from '../../src/webhooks/routing/visibility-routes.ts';

it('takes along what comes while others are overdue, and sets no timer to the past', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  const pace = { perSecond: 20, burst: 1, idsPerQuery: 1, gather: 1 };
  const visibility = new VisibilityRoutes(() => Promise.resolve(new Map()), new TaskRoutes(), pace);
  const lookUp = (taskId: string) => visibility.lookUp({ workspace: 'default', taskId }, false);
  // The second one has gathered long ago when the third one comes, and waits for the pace.
  const looks = [lookUp('first'), lookUp('second')];
  await looks[0];
  await passed(10);
  looks.push(lookUp('third'));
  expect(await Promise.all(looks)).toEqual([undefined, undefined, undefined]);
  expect(timers.mock.calls.map(([, wait = 0]) => wait).filter((wait) => wait < 0)).toEqual([]);
});

it('goes on at its pace when the clock is set back', async () => {
  const now = Date.now.bind(Date);
  const clock = vi.spyOn(Date, 'now');
  onTestFinished(() => clock.mockRestore());
  const pace = { perSecond: 20, burst: 1, idsPerQuery: 1, gather: 1 };
  const visibility = new VisibilityRoutes(() => Promise.resolve(new Map()), new TaskRoutes(), pace);
  const lookUp = (taskId: string) => visibility.lookUp({ workspace: 'default', taskId }, true);
  await lookUp('before');
  clock.mockImplementation(() => now() - 3_600_000);
  expect(await lookUp('after')).toBeUndefined();
});
