import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { FAST, image, openWorld } from '../workflows/world.ts';

it('a file that has ended two workers is not tried again before checkNow, however long nobody comes', async () => {
  let deaths = 0;
  const world = await openWorld({
    activities: (activities) => ({
      ...activities,
      async lookAtTask(request) {
        if (request.storeWithin === 0) return await activities.lookAtTask(request);
        if (request.storeWithin !== undefined)
          return await activities.lookAtTask({ ...request, storeWithin: 0 });
        deaths += 1;
        throw ApplicationFailure.nonRetryable('activity Heartbeat timeout');
      },
    }),
  });
  try {
    const handle = await world.start(image('poison', { ...FAST, outputs: { wait: '15s' } }));
    const outcome = await Promise.race([
      handle.result().then(
        () => 'completed',
        (error: { cause?: { message?: string } }) => `failed: ${error.cause?.message}`,
      ),
      new Promise((resolve) => setTimeout(resolve, 55_000, 'goes on')),
    ]);
    console.log({ deaths, outcome });
    await handle.terminate().catch(() => undefined);
    expect(deaths).toBe(2);
  } finally {
    await world.close();
  }
}, 90_000);
