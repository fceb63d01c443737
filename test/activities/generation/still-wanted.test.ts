import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { Fence } from '../../../src/activities/generation/still-wanted.ts';
import { RemoteClock } from '../../../src/api/remote-clock.ts';
import { attempt, run } from '../activity-stage.ts';

const HEARTBEAT = 10_000;
const MINUTE = 60_000;

/** Nobody knows the run any more, so that who asks is told that nobody waits. */
const temporal = {
  workflow: {
    getHandle: (workflowId: string) => ({
      describe: () => Promise.reject(new WorkflowNotFoundError('gone', workflowId, undefined)),
    }),
  },
} as unknown as Client; // all that is used of it

it.each([
  ['right', 0],
  ['a minute behind', MINUTE],
  ['a minute ahead', -MINUTE],
])(
  'a process that stood still since a submit was scheduled asks, where its clock is %s',
  async (_, temporalAhead) => {
    const now = Date.now();
    const temporalClock = new RemoteClock();
    temporalClock.note(now + temporalAhead, now);
    // It stood still for 40 seconds, until just now.
    const until = performance.now();
    const stalls = { longestSince: (at: number) => (at <= until ? 40_000 : 0) };
    const submit = attempt(undefined, now + temporalAhead - 41_000);
    const deps = { temporal, temporalClock, stalls } as unknown as ConstructorParameters<typeof Fence>[0];
    await expect(
      run(submit, (heartbeat: number) => new Fence(deps, heartbeat).ensureWanted(), HEARTBEAT),
    ).rejects.toThrow('nobody waits for it any more');
  },
);
