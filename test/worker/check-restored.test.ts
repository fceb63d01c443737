import { expect, inject, it } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';
import { retentionOf } from '../../src/temporal/retention.ts';
import { openWorld } from '../workflows/world.ts';

it('a worker warns at its start of a restore that is longer ago than Temporal keeps runs, and of no other', async () => {
  const temporal = { address: inject('temporalAddress'), namespace: inject('temporalNamespace') };
  const client = await connectClient(temporal);
  const kept = await retentionOf(client);
  await client.connection.close();
  expect(kept).toBeGreaterThan(0);
  const warned: string[][] = [];
  for (const restoredSince of [Date.now() - kept - 1_000, Date.now() - 1_000, undefined]) {
    const world = await openWorld({ config: { restoredSince } });
    warned.push(world.warnings.map(({ message }) => message).filter((text) => text.includes('RESTORED')));
    await world.close();
  }
  expect(warned).toEqual([
    [expect.stringContaining('DARKROOM_RESTORED_SINCE is longer ago than Temporal keeps runs')],
    [],
    [],
  ]);
});
