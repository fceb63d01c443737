import { Client } from '@temporalio/client';
import { expect, it } from 'vitest';
import { readLatestRun } from '../../src/temporal/latest-run.ts';
import { deleteRun } from '../delete-run.ts';
import { image, openWorld } from '../workflows/world.ts';

it('a run that the server deletes while it is read is one that it no longer has', async () => {
  const world = await openWorld();
  try {
    const handle = await world.start(image('deleted while it is read'));
    await handle.result();
    const { runId } = await handle.describe();
    const client = new Client({
      ...world.client.options,
      interceptors: {
        workflow: [
          {
            describe: async (input, next) => {
              const told = await next(input);
              await deleteRun(world.client, { workflowId: handle.workflowId, runId });
              return told;
            },
          },
        ],
      },
    });
    expect(await readLatestRun(client, handle.workflowId)).toBeUndefined();
  } finally {
    await world.close();
  }
});
