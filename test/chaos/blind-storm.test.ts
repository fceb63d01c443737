import { expect, it } from 'vitest';
import { patience } from '../patience.ts';
import { runStorm } from './storm.ts';

it('a storm sees the double charges of workers that buy again blindly', {
  timeout: patience(660_000),
}, async () => {
  const { report } = await runStorm({
    generations: 20,
    seed: 7,
    without: 'reconcile',
    say: () => undefined,
  });
  expect(report.extraCharges).toBeGreaterThan(0);
  expect(report).toMatchObject({ stuck: 0, waiting: 0, torn: 0 });
});
