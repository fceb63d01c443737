import { describe, expect, it } from 'vitest';
import { isClean } from './report.ts';
import { runStorm } from './storm.ts';

const quiet = (): void => undefined;

/** The long one is `npm run chaos`. */
describe('a short storm', () => {
  it('leaves nothing paid twice, lost, stuck, waiting or torn', { timeout: 240_000 }, async () => {
    const { report, findings } = await runStorm({ generations: 40, seed: 7, say: quiet });
    expect(findings).toEqual([]);
    expect(isClean(report)).toBe(true);
    expect(report.faults).toMatchObject({
      'submit.lost-after': expect.any(Number),
      'webhook.lost': expect.any(Number),
      'worker.killed': expect.any(Number),
      'run.reset': expect.any(Number),
    });
  });

  it('sees the double charges of workers that buy again blindly', { timeout: 240_000 }, async () => {
    const { report } = await runStorm({ generations: 40, seed: 7, without: 'reconcile', say: quiet });
    expect(report.extraCharges).toBeGreaterThan(0);
    expect(report).toMatchObject({ stuck: 0, waiting: 0, torn: 0 });
  });
});
