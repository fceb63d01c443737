import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStarterWorld, type StarterWorld } from '../starter-world.ts';

let world: StarterWorld;
beforeAll(async () => {
  world = await openStarterWorld();
});
afterAll(() => world.close());

it('starter credits tells the balance and when it expires', async () => {
  const { json } = await world.runHere('credits', '--json');
  expect(json()).toMatchObject({
    workspace: 'default',
    permanent: 1_000_000,
    subscription_expires_at: expect.stringMatching(/Z$/) as unknown,
  });
  const { stdout } = await world.runHere('credits');
  expect(stdout).toMatch(
    /^default: \d+ credits available \(subscription \d+, expires .* \(in \d+ days\); permanent 1000000\)$/m,
  );
});
