import { expect, it } from 'vitest';
import { patience } from '../patience.ts';
import { isClean } from './report.ts';
import { runStorm } from './storm.ts';

/** The long one is `npm run chaos`. */
it('a short storm leaves nothing paid twice, lost, stuck, waiting or torn', {
  timeout: patience(660_000),
}, async () => {
  const { report, findings } = await runStorm({ generations: 40, seed: 7, say: () => undefined });
  expect(findings).toEqual([]);
  expect(isClean(report)).toBe(true);
  // Planned ones happen in any case; of those by chance, any one may be missing.
  expect(report.faults).toMatchObject({
    'worker.killed': expect.any(Number),
    'receiver.away': 1,
    'temporal.away': 1,
  });
  expect(Object.keys(report.faults).length).toBeGreaterThan(15);
});
