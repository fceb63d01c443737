import { describe, expect, it } from 'vitest';
import { NO_USAGE } from '../../src/api/records/usage.ts';
import type { Attempt } from '../../src/contract/generation.ts';
import { account, type GenerationFacts, isUnknowable, type Knowledge, type Purchase } from './rule.ts';

const UNKNOWN: Attempt = {
  taskId: null,
  outcome: 'unknown',
  code: null,
  usage: NO_USAGE,
  settledBy: null,
  adopted: false,
};
const RULES = { resubmissions: () => 1, maxUnknowns: 5 };

const bought = (taskId: string, at: number, over: Partial<Purchase> = {}): Purchase => ({
  taskId,
  workflowId: 'generation/a',
  at,
  status: 'COMPLETED',
  code: null,
  endedAt: at + 10,
  fate: 'other',
  credits: 8,
  knownAt: at,
  ...over,
});

const generation = (over: Partial<GenerationFacts> = {}): GenerationFacts => ({
  workflowId: 'generation/a',
  group: 'generation/a',
  runs: 1,
  ending: { kind: 'completed', taskId: 't1', outputs: 1 },
  ...over,
});

const extras = (purchases: Purchase[], generations = [generation()]): number =>
  account(generations, [], purchases, RULES).extra.length;

const NOBODY_KNEW: Knowledge = { answered: false, told: false, recorded: false, disturbed: false };

describe('a charge', () => {
  it('is one for each generation', () => {
    expect(extras([bought('t1', 0)])).toBe(0);
    expect(extras([bought('t1', 0), bought('t2', 100)])).toBe(1);
  });

  it('is one for each input that a step was given', () => {
    const other = bought('t2', 100, { input: 'another one' });
    expect(extras([bought('t1', 0), other])).toBe(0);
    expect(extras([bought('t1', 0), other, bought('t3', 200, { input: 'another one' })])).toBe(1);
  });

  it('is one more after a task that had failed by then, not before', () => {
    const failed = { status: 'FAILED', code: 'IMAGE_GENERATION_FAILED', endedAt: 50 } as const;
    expect(extras([bought('t0', 0, failed), bought('t1', 100)])).toBe(0);
    expect(extras([bought('t0', 0, failed), bought('t1', 40)])).toBe(1);
  });

  it('is not asked for by more failures than the policy resubmits, for each run', () => {
    const failed = (id: string, at: number): Purchase =>
      bought(id, at, { status: 'FAILED', code: 'IMAGE_GENERATION_FAILED', endedAt: at + 1 });
    const three = [failed('t1', 0), failed('t2', 10), failed('t3', 20)];
    expect(extras(three)).toBe(1);
    expect(extras(three, [generation({ runs: 2 })])).toBe(0);
    const lost = { ...failed('t0', 0), knownAt: null };
    expect(extras([lost, failed('t1', 10), failed('t2', 20)])).toBe(0);
  });

  it.each([
    ['its answer was lost and no event was sent', NOBODY_KNEW, 0],
    ['its answer hit a kill and no event was sent', { ...NOBODY_KNEW, answered: true, disturbed: true }, 0],
    ['its answer went out and nothing was hit', { ...NOBODY_KNEW, answered: true }, 1],
    ['an event told of it', { ...NOBODY_KNEW, told: true }, 1],
    ['a run had recorded it', { ...NOBODY_KNEW, recorded: true }, 1],
  ] as const)('beside a task is %s', (_, knowledge, count) => {
    const knownAt = isUnknowable(knowledge) ? null : 0;
    expect(extras([bought('t0', 0, { knownAt }), bought('t1', 100)])).toBe(count);
  });

  it('is one for each of two generations with the same input, whoever it was made for', () => {
    const twins = [
      generation({ group: 'twins' }),
      generation({
        workflowId: 'generation/b',
        group: 'twins',
        ending: { kind: 'completed', taskId: 't2', outputs: 1 },
      }),
    ];
    expect(extras([bought('t1', 0), bought('t2', 10)], twins)).toBe(0);
    expect(extras([bought('t1', 0), bought('t2', 10), bought('t3', 20)], twins)).toBe(1);
  });
});

describe('a result', () => {
  const lost = (ending: GenerationFacts['ending'], purchases: Purchase[], over = {}): string[] =>
    account([generation({ ending, ...over })], [], purchases, RULES).lost.map(({ what }) => what);

  it('is lost with a failure for which the API gave no reason', () => {
    const ending = { kind: 'failed', type: 'IMAGE_GENERATION_FAILED', unknownsAtEnd: 0 } as const;
    expect(lost(ending, [])).toEqual(['failed with IMAGE_GENERATION_FAILED for no reason']);
    expect(lost(ending, [], { refused: 'FAILED' })).toEqual([]);
  });

  it('is lost when it is paid for and nobody got it', () => {
    const ending = { kind: 'failed', type: 'IMAGE_GENERATION_FAILED', unknownsAtEnd: 0 } as const;
    expect(lost(ending, [bought('t1', 0)], { refused: 'FAILED' })).toHaveLength(1);
  });

  it('may be missing for want of a budget in which a submit counts that has bought nothing', () => {
    const ending = { kind: 'failed', type: 'BUDGET_EXCEEDED', unknownsAtEnd: 1 } as const;
    const said = (...attempts: Partial<Attempt>[]) => ({
      accounts: [
        { runId: 'run', attempts: attempts.map((one) => ({ ...UNKNOWN, ...one })), usage: 8, charged: 8 },
      ],
    });
    const why = ['failed with BUDGET_EXCEEDED for no reason'];
    expect(lost(ending, [], said())).toEqual(why);
    expect(lost(ending, [], said({}))).toEqual([]);
    // That has bought one, which may still run.
    expect(lost(ending, [bought('t1', 0, { status: 'IN_PROGRESS' })], said({}))).toEqual(why);
    const failed = { status: 'FAILED', code: 'IMAGE_GENERATION_TIMEOUT' } as const;
    const taken = { taskId: 't1', outcome: 'failed', adopted: true } as const;
    expect(lost(ending, [bought('t1', 0, failed)], said({}, taken))).toEqual(why);
    // Of another step of its pipeline.
    const step = { workflowId: 'pipeline/p/b', group: 'pipeline/p/b', pipeline: 'pipeline/p' };
    const other = generation({ ...step, workflowId: 'pipeline/p/a', group: 'pipeline/p/a', ...said({}) });
    const own = bought('t1', 0, { workflowId: other.workflowId });
    const both = [other, generation({ ...step, ending })];
    expect(account(both, [], [own], RULES).lost.map(({ what }) => what)).toEqual(why);
    const told = said({}, { taskId: 't1', outcome: 'completed' });
    expect(account([{ ...other, ...told }, ...both.slice(1)], [], [own], RULES).lost).toEqual([]);
  });

  it('has to be of a task of its own that has completed', () => {
    const ending = { kind: 'completed', taskId: 't1', outputs: 1 } as const;
    expect(lost(ending, [bought('t1', 0, { status: 'FAILED' })])).toEqual(['its task t1 is FAILED']);
    expect(lost(ending, [])).toEqual(['its task t1 is not its own']);
  });
});
