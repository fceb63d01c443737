import { describe, expect, it } from 'vitest';
import { readParked, readParkId } from '../../src/contract/entities/credit-gate.ts';
import { fairnessKey, submitQueue, weightOf } from '../../src/contract/tasks/submit-queue.ts';
import { entityId, isEntityId } from '../../src/contract/workflow-ids.ts';

const PARKED = {
  parkId: 'p',
  workflowId: 'generation/order-17',
  parkedSince: 5,
  pace: { initial: 1_000, factor: 2, max: 9_000 },
};

describe('who waits for credits', () => {
  it('is read with all that is known of it', () => {
    const whole = { ...PARKED, runId: 'r', price: 8, baseline: 3, refused: true };
    expect(readParked({ ...whole, more: 1 }, 10)).toEqual(whole);
  });

  it.each([
    [undefined],
    ['text'],
    [{}],
    [{ ...PARKED, parkId: '' }],
    [{ ...PARKED, workflowId: 7 }],
    [{ ...PARKED, workflowId: 'w'.repeat(1_001) }],
  ])('is nobody: %j', (value) => {
    expect(readParked(value, 10)).toBeUndefined();
  });

  it('has no price of 0, no balance that is no number, and no word but true', () => {
    const odd = { ...PARKED, runId: '', price: 0, baseline: Number.NaN, refused: 'yes' };
    expect(readParked(odd, 10)).toEqual(PARKED);
  });

  it.each([
    [11, 10],
    [-1, 0],
    ['5', 10],
  ])('has waited since %s: at 10 that is %i', (parkedSince, since) => {
    expect(readParked({ ...PARKED, parkedSince }, 10)?.parkedSince).toBe(since);
  });

  it.each([
    [undefined, { initial: 30_000, factor: 1.5, max: 300_000 }],
    [
      { initial: 1, factor: 0.5, max: 1 },
      { initial: 20, factor: 1, max: 20 },
    ],
    [
      { initial: 1e9, factor: 101, max: 1e9 },
      { initial: 86_400_000, factor: 100, max: 86_400_000 },
    ],
    [{ initial: 400_000 }, { initial: 400_000, factor: 1.5, max: 400_000 }],
  ])('is looked at every %j', (pace, is) => {
    expect(readParked({ ...PARKED, pace }, 10)?.pace).toEqual(is);
  });

  it('leaves by its id', () => {
    expect(readParkId('p'.repeat(1_000))).toBe('p'.repeat(1_000));
    expect([readParkId(''), readParkId(7), readParkId('p'.repeat(1_001))]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('submits', () => {
  it('have a task queue of their own, apart by workspace', () => {
    expect(submitQueue('films')).toBe('films-submit');
    expect(fairnessKey('w'.repeat(70))).toBe('w'.repeat(64));
  });

  it.each([
    [1, 0.1],
    [20, 2],
    [0, 0.001],
    [1e9, 1_000],
  ])('of %i a second weigh %d', (rate, weight) => {
    expect(weightOf(rate)).toBe(weight);
  });
});

it('an entity is named by its kind and scope, and by a task queue that is not the default one', () => {
  expect(entityId('account', 'cap/day', 'darkroom')).toBe('account/cap/day');
  expect(entityId('credit-gate', 'film', 'other')).toBe('credit-gate/film@other');
  expect(isEntityId('credit-gate', 'film', 'credit-gate/film')).toBe(true);
  expect(isEntityId('credit-gate', 'film', 'credit-gate/film@other')).toBe(true);
  expect(isEntityId('credit-gate', 'film', 'credit-gate/films')).toBe(false);
});
