import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, FAST, type Generation, image, openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

/** How long each of the runs tries before it gives up, in milliseconds. */
const WAIT = 4_000;
/** Longer than a try may come late: after that it is an outage. */
const OUTAGE = WAIT + 11_000;

/** Nothing may be given up so soon after the restart that only the clock can have decided it. */
it('time in which no worker tried is no time of trying', async () => {
  const wait = `${WAIT}ms`;
  world.fault({ on: 'task', match: { promptIncludes: 'vanishes' }, fault: { kind: 'vanish' } });
  world.fault({ on: 'file', match: { promptIncludes: 'no file' }, fault: { kind: 'expired', status: 404 } });
  world.fault({ on: 'submit', match: { promptIncludes: 'lost' }, fault: { kind: 'lost-before' } });
  const start = (prompt: string, policy: object): Promise<Generation> =>
    world.start(image(prompt, { ...FAST, deadline: '2m', ...policy }));
  const runs: Record<string, Generation> = {
    TASK_VANISHED: await start('vanishes', { vanished: { wait } }),
    OUTPUT_UNAVAILABLE: await start('no file', { outputs: { wait } }),
    SUBMISSION_UNKNOWN: await start('lost', { reconcile: { wait, otherwise: 'fail' } }),
  };
  await eventually(async () => {
    const states = await Promise.all(
      Object.values(runs).map(async (run) => (await run.query<{ state: string }>('progress')).state),
    );
    expect(states).toEqual(['waiting', 'storing', 'reconciling']);
    const { trouble } = (await runs['TASK_VANISHED']?.query<{ trouble?: string }>('progress')) ?? {};
    expect(trouble).toContain('does not know');
  });
  await world.stopWorker();
  await delay(OUTAGE);
  const restartedAt = Date.now();
  await world.startWorker();
  for (const [type, run] of Object.entries(runs)) {
    expect((await world.failureOf(run)).type).toBe(type);
    const { closeTime } = await run.describe();
    expect((closeTime?.getTime() ?? 0) - restartedAt).toBeGreaterThanOrEqual(WAIT);
  }
});
