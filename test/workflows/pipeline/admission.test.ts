import { describe, expect, it } from 'vitest';
import type { StepStage } from '../../../src/contract/steps/carried-pipeline.ts';
import { admitted } from '../../../src/workflows/pipeline/budget.ts';
import { begun, put, type State, unknown } from '../../../src/workflows/pipeline/state.ts';

/** Steps of the same model with a price that is told by their names: `[name, place or reserved credits]`. */
function pipelineOf(
  credits: number | undefined,
  spent: number,
  stages: Record<string, StepStage>,
  prices: [string, number][] = [],
): State {
  const steps = Object.fromEntries(
    Object.keys(stages).map((name) => [name, { model: 'image-l', input: { prompt: name } }]),
  );
  const request = { steps, ...(credits === undefined ? {} : { budget: { credits } }) };
  const state = begun(unknown('pipeline/p', request), {}, false);
  return put({ ...state, spent, prices }, ...Object.entries(stages));
}

const asking = (turn: number, order = 'unknown', run?: string): StepStage => ({
  at: 'reserving',
  place: 'asking',
  turn,
  order,
  ...(run === undefined ? {} : { earlier: { run, foundAt: 0 } }),
});
const following = (most: number): StepStage => ({ at: 'following', most });

/** By step, what may be bought for how much: `12`, `waits`, `refused`, or `adopts` (what is paid for alone). */
function decided(state: State): Record<string, unknown> {
  return Object.fromEntries(
    [...admitted(state).steps].map(([name, stage]) => {
      if (stage.at === 'starting')
        return [name, stage.isBeyond === true ? 'adopts' : (stage.most ?? 'no limit')];
      if (stage.at !== 'reserving') return [name, stage.at];
      return [name, stage.place === 'asking' ? 'waits' : stage.place];
    }),
  );
}

const PRICES: [string, number][] = [
  ['8', 8],
  ['4', 4],
  ['0.5', 0.5],
];

describe('a budget', () => {
  it.each<[string, State, Record<string, unknown>]>([
    [
      'that there is none of admits all',
      pipelineOf(undefined, 0, { a: asking(1), b: asking(2) }),
      { a: 'no limit', b: 'no limit' },
    ],
    [
      'gives all that is left to the first of unknown price',
      pipelineOf(20, 0, { a: asking(1), b: asking(2) }),
      { a: 20, b: 'waits' },
    ],
    [
      'admits in the order of asking',
      pipelineOf(20, 0, { a: asking(2), b: asking(1) }),
      { a: 'waits', b: 20 },
    ],
    [
      'admits each for its price',
      pipelineOf(40, 0, { a: asking(1, '8'), b: asking(2, '8') }, PRICES),
      { a: 8, b: 8 },
    ],
    [
      'gives the price at least',
      pipelineOf(9, 0, { a: asking(1, '8'), b: asking(2, '8') }, PRICES),
      { a: 8, b: 'waits' },
    ],
    [
      'lets wait while something may come back',
      pipelineOf(10, 0, { a: following(8), b: asking(1, '4') }, PRICES),
      { a: 'following', b: 'waits' },
    ],
    [
      'refuses where nothing comes back any more',
      pipelineOf(10, 8, { a: asking(1, '4') }, PRICES),
      { a: 'refused' },
    ],
    [
      'refuses the dear one, and admits the cheap one after it',
      pipelineOf(10, 6, { taken: following(0), dear: asking(1, '8'), cheap: asking(2, '4') }, PRICES),
      { taken: 'following', dear: 'refused', cheap: 4 },
    ],
    [
      'lets take over what is paid for, whatever is left',
      pipelineOf(10, 10, { a: asking(1, '8', 'earlier') }, PRICES),
      { a: 'adopts' },
    ],
    // 0.3 + 0.2 + 0.1 - 0.3 - 0.2 - 0.1 is not 0.
    [
      'of fractions refuses once nothing is reserved',
      pipelineOf(1, 0.3 + 0.2 + 0.1, { a: asking(1, '0.5') }, PRICES),
      { a: 'refused' },
    ],
  ])('%s', (_, state, expected) => {
    expect(decided(state)).toEqual(expected);
  });
});
