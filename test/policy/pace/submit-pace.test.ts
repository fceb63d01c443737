import { describe, expect, it } from 'vitest';
import { FleetPace } from '../../../src/policy/pace/fleet-pace.ts';
import { type Situation, simulate } from './pace-simulation.ts';

const FIVE_A_SECOND: Situation = { submits: 500, limit: () => 5, burst: 5, retryAfter: true };

function report(more: Partial<Parameters<FleetPace['report']>[0]> = {}) {
  const none = { accepted: 0, refused: 0, held: 0, paused: 0, pausedFor: 0 };
  return { reporter: 'one', ...none, initial: 2_000, max: 60_000, ...more };
}

describe('a burst of submits that the API limits', () => {
  it.each<[string, Partial<Situation>]>([
    ['with Retry-After', {}],
    ['without Retry-After', { retryAfter: false }],
    ['from four processes', { processes: 4 }],
    ['with an undivided task queue', { partitions: 1 }],
  ])('of 500 at 5 a second, %s, takes little longer than it has to, with few refused', (_, more) => {
    const { seconds, refused } = simulate({ ...FIVE_A_SECOND, ...more });
    expect(seconds).toBeLessThan(99 * 1.12);
    expect(refused).toBeLessThan(40);
  });

  it.each<[string, Situation, number, number]>([
    [
      '100 a second',
      { submits: 4_000, limit: () => 100, burst: 100, retryAfter: true, processes: 4 },
      39,
      1.2,
    ],
    [
      '1 a second of which 60 may be saved up',
      { submits: 160, limit: () => 1, burst: 60, retryAfter: true },
      100,
      1.2,
    ],
    ['1 in 5 seconds', { submits: 20, limit: () => 0.2, burst: 1, retryAfter: true }, 95, 3],
    ['5 a second of which none may be saved up', { ...FIVE_A_SECOND, burst: 1 }, 100, 1.8],
  ])('is paced to %s', (_, situation, ideal, ratio) => {
    const { seconds, refused } = simulate(situation);
    expect(seconds).toBeLessThan(ideal * ratio);
    expect(refused).toBeLessThan(situation.submits * 0.2 + 30);
  });

  it('goes faster again when the API does', () => {
    const { seconds } = simulate({ ...FIVE_A_SECOND, limit: (second) => (second < 30 ? 5 : 500) });
    expect(seconds).toBeLessThan(75);
  });

  it('slows down further when the API does', () => {
    const { seconds, refused } = simulate({
      ...FIVE_A_SECOND,
      submits: 600,
      burst: 20,
      limit: (second) => (second < 10 ? 40 : 5),
    });
    expect(seconds).toBeLessThan(90);
    expect(refused).toBeLessThan(90);
  });
});

describe('the fleet’s pace', () => {
  it('begins with what was accepted in the second before the first refusal, of all processes', () => {
    const fleet = FleetPace.begin(report({ accepted: 3, refused: 1 }), 0);
    fleet.report(report({ accepted: 3, refused: 1 }), 0);
    fleet.report(report({ reporter: 'two', accepted: 4, refused: 2 }), 50);
    const { rate, share } = fleet.answer(50);
    expect(rate).toBeCloseTo(7, 0);
    expect(share).toBeCloseTo(rate / 2);
  });

  it('never falls below what the policy’s longest pause comes to', () => {
    const fleet = FleetPace.begin(report({ refused: 1 }), 0);
    for (let second = 1; second < 300; second++) fleet.report(report({ refused: 1 }), second * 1_000);
    expect(fleet.answer(300_000).rate).toBeCloseTo(1 / 60, 3);
  });

  it('is kept by the workers until the task queue has been emptied of what came before, then by the queue', () => {
    const fleet = FleetPace.begin(report({ refused: 1 }), 0);
    expect(fleet.report(report({ refused: 1, held: 90 }), 0).pacedBy).toBe('settling');
    expect(fleet.report(report({ held: 40 }), 900).pacedBy).toBe('settling');
    expect(fleet.queueRate(900)).toBeNull();
    expect(fleet.report(report({ held: 1 }), 1_300).pacedBy).toBe('queue');
    expect(fleet.queueRate(1_300)).toBeGreaterThan(0);
  });

  it('tells every process for how long the API wants to be left alone', () => {
    const fleet = FleetPace.begin(report({ refused: 1, pausedFor: 30_000 }), 0);
    fleet.report(report({ refused: 1, pausedFor: 30_000 }), 0);
    expect(fleet.report(report({ reporter: 'two', held: 1 }), 10_000).pausedFor).toBe(20_000);
  });

  it('is over when nothing was refused for two minutes', () => {
    const fleet = FleetPace.begin(report({ accepted: 5, refused: 1 }), 0);
    fleet.report(report({ accepted: 5, refused: 1 }), 0);
    expect(fleet.hasRecovered(119_000)).toBe(false);
    expect(fleet.hasRecovered(121_000)).toBe(true);
  });

  it('lets a hundred processes report less often than two', () => {
    const fleet = FleetPace.begin(report({ refused: 1 }), 0);
    fleet.leaveToWorkers();
    for (let i = 0; i < 100; i++) fleet.report(report({ reporter: String(i), accepted: 1 }), 10);
    expect(fleet.answer(10).nextReport).toBe(10_000);
  });
});
