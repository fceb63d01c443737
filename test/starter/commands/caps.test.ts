import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../workflows/world.ts';
import { openStarterWorld, POLICY, type StarterWorld } from '../starter-world.ts';

let world: StarterWorld;
beforeAll(async () => {
  world = await openStarterWorld({
    caps: [
      // oxlint-disable-next-line unicorn/no-thenable -- the file's word
      { name: 'images', model: 'image-l', per: 'ever', credits: 20, then: 'fail' },
      // oxlint-disable-next-line unicorn/no-thenable -- the file's word
      { name: 'film', tag: { team: 'film' }, per: 'month', credits: 500, then: 'wait' },
    ],
  });
});
afterAll(() => world.close());

it('starter caps tells what each cap has spent in its period', async () => {
  const generated = await world.runHere('generate', 'image-l', 'prompt=a fox', '--policy', POLICY, '--json');
  expect(generated.code).toBe(0);
  const month = new Date().toISOString().slice(0, 7);
  await eventually(async () => {
    const { json } = await world.runHere('caps', '--json');
    expect(json()).toEqual([
      { name: 'images', per: 'ever', period: 'ever', credits: 20, spent: 8, reserved: 0 },
      { name: 'film', per: 'month', period: month, credits: 500, spent: 0, reserved: 0 },
    ]);
  });
  const { stdout } = await world.runHere('caps');
  expect(stdout).toMatch(/images.*image-l.*ever.*20.*8.*0.*fail/);
  expect(stdout).toMatch(/film.*team=film.*500.*0.*0.*wait/);
});
