import { describe, expect, it } from 'vitest';
import { assignOutputs } from '../../../src/contract/steps/assign-outputs.ts';

const assigned = (outputs: string[], started: [number, string][]): [number, string | undefined][] =>
  [...assignOutputs(outputs, new Map(started)).entries()].flatMap(([index, position]) =>
    position === null ? [] : [[index, outputs[position]]],
  );

describe('the items of a fan-out', () => {
  it('take the outputs in order where none was started before', () => {
    expect(assigned(['a', 'b'], [])).toEqual([
      [0, 'a'],
      [1, 'b'],
    ]);
  });

  it('keep the outputs that they were started for, and the new ones get what is free', () => {
    // `b` was the only one when the first item was started; `a` and `c` have come since.
    expect(assigned(['a', 'b', 'c'], [[0, 'b']])).toEqual([
      [0, 'b'],
      [1, 'a'],
      [2, 'c'],
    ]);
  });

  it('take another output where theirs is gone', () => {
    expect(
      assigned(
        ['b', 'c'],
        [
          [0, 'a'],
          [1, 'b'],
        ],
      ),
    ).toEqual([
      [0, 'c'],
      [1, 'b'],
    ]);
  });

  it('take each output once', () => {
    const started: [number, string][] = [
      [0, 'a'],
      [1, 'a'],
    ];
    expect(assigned(['a', 'b'], started)).toEqual([
      [0, 'a'],
      [1, 'b'],
    ]);
  });
});
