import { expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../../src/policy/policy.ts';
import { doubt } from '../../../src/workflows/generation/attempts.ts';
import { BEGINNING, resumed } from '../../../src/workflows/generation/begin.ts';
import { nextLookAt } from '../../../src/workflows/generation/evidence.ts';
import { lookFor } from '../../../src/workflows/generation/transitions.ts';

const PLAN = { family: 'image', takesSeed: true, policy: DEFAULT_POLICY } as const;
const LOST = { kind: 'unknown', reason: 'the answer got lost', since: 1 } as const;

it.each([
  ['the seed that was drawn for it', 123, undefined, 123],
  ['the one that it was handed on with', 123, 7, 7],
  ["the request's, which nobody has to name", undefined, undefined, undefined],
])('a search knows what its submit was sent with: %s', (_, drawn, handedOn, seed) => {
  const unknown = handedOn === undefined ? LOST : { ...LOST, seed: handedOn };
  const { stage } = lookFor({ ...BEGINNING, plan: PLAN, seed: drawn }, unknown);
  const searched = stage.at === 'reconcile' ? stage.search.unknown : undefined;
  expect(searched).toEqual(seed === undefined ? LOST : { ...LOST, seed });
});

it('a run that goes on for another is told by entities from then on: of its claim, and of its parking', () => {
  const asking = { at: 'ask', search: { unknown: LOST, claim: 'in' }, pause: 1, renewAt: 2 } as const;
  expect(resumed(asking)).toEqual({ ...asking, search: { unknown: LOST, claim: 'not yet' } });
  const pace = DEFAULT_POLICY.retries.INSUFFICIENT_CREDITS;
  const end = { kind: 'failed', type: 'INSUFFICIENT_CREDITS', message: '', rejected: true } as const;
  const parked = {
    at: 'park',
    parkId: 'park-1',
    pace,
    until: 1,
    end,
    again: false,
    looks: 1,
    isEnough: false,
  } as const;
  expect(resumed({ ...parked, nextAt: 2 })).toEqual(parked);
});

it('a submit in doubt is one attempt, however often a search for it ends without a task', () => {
  const doubted = doubt(doubt({ ...BEGINNING, plan: PLAN }, 'run/1'), 'run/1');
  expect(doubted.attempts).toHaveLength(1);
  expect(doubt(doubted, 'run/2').attempts).toHaveLength(2);
});

it('a run that knows no plan asks about no task: it would not know how long', () => {
  const lost = {
    ...doubt(BEGINNING, 'run/1'),
    heard: { ...BEGINNING.heard, grants: [['run/1', 'task-1']] },
  } as const;
  expect(nextLookAt({ ...lost, plan: PLAN })).toBe(0);
  expect(nextLookAt(lost)).toBe(Infinity);
});
