import { expect, it } from 'vitest';
import { doubtsOf } from '../../../src/activities/generation/doubts.ts';
import type { UnknownSubmit } from '../../../src/activities/generation/purchases.ts';

const doubt = (of: Partial<UnknownSubmit>): UnknownSubmit => ({
  since: 1_000,
  scheduledAt: 1_000,
  activityId: '1',
  recorded: true,
  inFlight: false,
  ...of,
});

it('tells a submit once that a run was handed by another one: as the later one says, claimed when the other one did', () => {
  const first = doubt({ claimedAt: 1_500, inFlight: true });
  const handed = doubt({ runId: 'first', givenUp: true, seed: 7 });
  const runs = [
    { runId: 'second', unknownSubmits: [handed] },
    { runId: 'first', unknownSubmits: [first] },
  ];
  expect(doubtsOf(runs)).toEqual([{ ...handed, runId: 'first', claimedAt: 1_500 }]);
});

it('tells it once where a lost worker had the later run date it by another clock', () => {
  const runs = [
    { runId: 'second', unknownSubmits: [doubt({ runId: 'first', since: 1_004 })] },
    { runId: 'first', unknownSubmits: [doubt({})] },
  ];
  expect(doubtsOf(runs)).toEqual([doubt({ runId: 'first', since: 1_004 })]);
});

it('tells all others, newest first', () => {
  const runs = [
    { runId: 'second', unknownSubmits: [doubt({ since: 3_000 }), doubt({ since: 4_000, activityId: '2' })] },
    { runId: 'first', unknownSubmits: [doubt({})] },
  ];
  expect(doubtsOf(runs).map(({ since, runId }) => [since, runId])).toEqual([
    [4_000, 'second'],
    [3_000, 'second'],
    [1_000, 'first'],
  ]);
});

it('tells a submit that was in flight as well as its copy by a Reset, which may have never begun', () => {
  const pending = doubt({ recorded: false, inFlight: true });
  const runs = ['second', 'first'].map((runId) => ({ runId, unknownSubmits: [pending] }));
  expect(doubtsOf(runs).map(({ runId }) => runId)).toEqual(['second', 'first']);
});
