import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, image, WEBHOOK_ONLY } from '../../workflows/world.ts';
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
      { name: 'images', per: 'ever', period: 'ever', credits: 20, spent: 8, reserved: 0, holders: [] },
      { name: 'film', per: 'month', period: month, credits: 500, spent: 0, reserved: 0, holders: [] },
    ]);
  });
  const { stdout } = await world.runHere('caps');
  expect(stdout).toMatch(/images.*image-l.*ever.*20.*8.*0.*fail/);
  expect(stdout).toMatch(/film.*team=film.*500.*0.*0.*wait/);

  // Who is refused learns who holds the rest, and so does whoever asks for the caps.
  world.loseAnswer('a lost fox');
  world.loseWebhooks('a lost fox');
  const policy = { ...WEBHOOK_ONLY, reconcile: { wait: '5m', otherwise: 'ask' } };
  const lost = await world.start({ ...image('a lost fox'), policy });
  const held = `Reserved are 8 for ${lost.workflowId} (outcome unknown). Settle the unknown one first (decide while it asks, else rerun it), or raise the limit`;
  await eventually(async () => expect((await world.runHere('caps')).stdout).toContain(`images: ${held}`));
  const { type, message } = await world.fail(image('refused for a lost one'));
  expect(type).toBe('BUDGET_EXCEEDED');
  expect(message).toBe(
    `cap images of 20 credits in all does not admit it: 8 are spent, 8 reserved, and it may cost 8. ${held}`,
  );
});
