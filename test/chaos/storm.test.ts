import { expect, it } from 'vitest';
import { isClean } from './report.ts';
import { runStorm } from './storm.ts';

/** The long one is `npm run chaos`. */
it('a short storm leaves nothing paid twice, lost, stuck, waiting or torn', {
  timeout: 480_000,
}, async () => {
  const { report, findings } = await runStorm({ generations: 40, seed: 7, say: () => undefined });
  expect(findings).toEqual([]);
  expect(isClean(report)).toBe(true);
  expect(report.faults).toMatchObject({
    'submit.lost-after': expect.any(Number),
    'webhook.lost': expect.any(Number),
    'worker.killed': expect.any(Number),
    'run.reset': expect.any(Number),
  });
});
