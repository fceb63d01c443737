import { describe, expect, it } from 'vitest';
import { LookedClock } from '../../src/policy/looked-clock.ts';

const START = 1_700_000_000_000;

describe('time in which somebody looked', () => {
  it('is all time between looks that come as planned, or a little late', () => {
    const clock = new LookedClock(START);
    clock.plan(START + 60_000);
    expect(clock.look(START + 60_000)).toBe(false);
    expect(clock.looked).toBe(60_000);
    clock.plan(START + 120_000);
    expect(clock.look(START + 130_000)).toBe(false);
    expect(clock.looked).toBe(130_000);
  });

  it('is not the time between a look that was planned and one that comes much later', () => {
    const clock = new LookedClock(START, 500);
    clock.plan(START + 60_000);
    expect(clock.look(START + 70_001)).toBe(true);
    expect(clock.looked).toBe(60_500);
    // From then on it counts again, and is on time.
    expect(clock.look(START + 75_000)).toBe(false);
    expect(clock.looked).toBe(60_500 + 4_999);
  });

  it('never runs backwards, whatever the clock of the machine does', () => {
    const clock = new LookedClock(START);
    clock.plan(START + 1_000);
    clock.look(START + 1_000);
    expect(clock.look(START - 60_000)).toBe(false);
    expect(clock.looked).toBe(1_000);
    clock.look(START + 2_000);
    expect(clock.looked).toBe(2_000);
  });

  it('counts nothing for a plan that lies in the past', () => {
    const clock = new LookedClock(START);
    clock.plan(START - 60_000);
    expect(clock.look(START + 5_000)).toBe(false);
    expect(clock.looked).toBe(5_000);
  });
});
