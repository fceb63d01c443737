import { describe, expect, it } from 'vitest';
import type { WithdrawalKind } from '../../../src/contract/entities/claims.ts';
import type { KeptClaim } from '../../../src/contract/entities/unclaimed-tasks.ts';
import { whyNotYet } from '../../../src/workflows/unclaimed-tasks/giving-up.ts';
import type { Entry } from '../../../src/workflows/unclaimed-tasks/kept-tasks.ts';
import type { Look } from '../../../src/workflows/unclaimed-tasks/looks.ts';
import { entry, keptClaim } from './examples.ts';

/** In looked time, and by the clock. */
const LOOKED = 100_000;
const NOW = 700_000;

const looked = (state: Look['state'], over: Partial<Look> = {}): Look => ({
  state,
  nextAt: NOW + 1,
  pause: 500,
  since: LOOKED,
  why: state,
  ...over,
});
const why = (
  fitting: [Entry, Look][],
  claim: Partial<KeptClaim> = {},
  as: WithdrawalKind = 'give up',
): unknown => whyNotYet(keptClaim('a', claim), as, fitting, LOOKED, NOW);

describe('a claim', () => {
  it.each<[string, Look, unknown]>([
    ['was not looked at', looked('new'), { wait: 500, why: 'new', lasting: false }],
    ['waits for an answer in flight', looked('in flight'), { wait: 1_000, why: 'in flight', lasting: false }],
    [
      'is to be looked at right now',
      looked('in flight', { nextAt: NOW }),
      { wait: 500, why: 'in flight', lasting: false },
    ],
    [
      'has waited for an answer almost as long as one can take',
      looked('in flight', { since: LOOKED - 9_999 }),
      { wait: 1_000, why: 'in flight', lasting: false },
    ],
    ['cannot be read', looked('unreadable'), { wait: 5_000, why: 'unreadable', lasting: true }],
    ['fits others alike', looked('alike'), { wait: 5_000, why: 'alike', lasting: true }],
  ])('is not given up while a task that may be its %s', (_state, look, reason) => {
    expect(why([[entry('t'), look]])).toEqual({ kind: 'looking', ...(reason as object) });
  });

  it('is given up where nothing may be its, or only what no answer in flight can be for any more', () => {
    expect(why([])).toBeUndefined();
    expect(why([[entry('t'), looked('in flight', { since: LOOKED - 10_000 })]])).toBeUndefined();
  });

  it('is not given up before an equal run has looked back, however long that one waits for its turn', () => {
    const queued = looked('in flight', { since: 0, untilLookedBack: true });
    expect(why([[entry('t'), queued]])).toMatchObject({ kind: 'looking', lasting: false });
    expect(why([[entry('t'), queued]], {}, 'buy again')).toMatchObject({ kind: 'looking', lasting: false });
  });

  it('is told of the first task that keeps it, but rather of one that may keep it for long', () => {
    const fitting = (...looks: Look[]) => looks.map((look): [Entry, Look] => [entry('t'), look]);
    expect(why(fitting(looked('new'), looked('in flight')))).toMatchObject({ why: 'new' });
    expect(why(fitting(looked('in flight'), looked('new')))).toMatchObject({ why: 'in flight' });
    expect(why(fitting(looked('new'), looked('alike')))).toMatchObject({ why: 'alike' });
  });

  it.each<[string, WithdrawalKind, Partial<KeptClaim>, number | undefined]>([
    ['waits', 'give up', { delayed: true, looksFrom: LOOKED - 59_999 }, 1],
    ['waits no longer than it may', 'give up', { delayed: true, looksUntilAtMost: LOOKED + 7 }, 7],
    ['is told of it when it asks', 'look', { delayed: true, looksFrom: LOOKED }, 60_000],
    ['is given up after its wait', 'give up', { delayed: true, looksFrom: LOOKED - 60_000 }, undefined],
    ['is given up on a person’s word', 'buy again', { delayed: true, looksFrom: LOOKED }, undefined],
    ['is given up where they were not', 'give up', { looksFrom: LOOKED }, undefined],
  ])('whose events were delayed %s', (_what, as, claim, wait) => {
    const delayed = { kind: 'looking', wait, why: 'events were delayed', lasting: false };
    expect(why([], { looksFrom: LOOKED, ...claim }, as)).toEqual(wait === undefined ? undefined : delayed);
  });
});
