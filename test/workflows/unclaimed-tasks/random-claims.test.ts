import { expect, it } from 'vitest';
import { RandomClaims } from './random-claims.ts';

/** More of them: `CLAIM_STEPS=2000000 npx vitest run test/workflows/unclaimed-tasks/random-claims.test.ts`. */
const STEPS = Number(process.env['CLAIM_STEPS'] ?? 40_000);
const STEPS_A_RUN = 2_000;
/** What has to come up in so many steps. */
const EVERYTHING = [
  'granted',
  'gone',
  'looking',
  'nothing',
  'not there',
  'revoked',
  'renewed',
  'reset',
  'outage',
  'evicted',
];

it('whatever happens in whatever order, a task is granted once, none that is wanted is lost, and it stays small', {
  timeout: 600_000,
}, () => {
  const happened: Record<string, number> = {};
  for (let seed = 1; seed <= STEPS / STEPS_A_RUN; seed += 1) {
    const claims = new RandomClaims(seed);
    for (let step = 0; step < STEPS_A_RUN; step += 1) {
      try {
        claims.step();
      } catch (error) {
        throw new Error(`seed ${seed}, step ${step}`, { cause: error });
      }
    }
    claims.settle();
    for (const [what, count] of Object.entries(claims.happened))
      happened[what] = (happened[what] ?? 0) + count;
  }
  expect(Object.keys(happened)).toEqual(expect.arrayContaining(EVERYTHING));
});
