import { describe, expect, it } from 'vitest';
import { FleetPace } from '../../../src/policy/pace/fleet-pace.ts';
import { isSubmitReport } from '../../../src/policy/pace/types.ts';
import { type Situation, simulate } from './pace-simulation.ts';

const FIVE_A_SECOND: Situation = { submits: 500, limit: () => 5, burst: 5, retryAfter: true };

function report(more: Partial<Parameters<FleetPace['report']>[0]> = {}) {
  const none = { accepted: 0, refused: 0, held: 0, pausedFor: 0 };
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

  it('begins at one submit in the first pause, where none was accepted before the first refusal', () => {
    expect(FleetPace.begin(report({ accepted: 3, refused: 1 }), 5_000).answer(5_000).rate).toBe(3);
    expect(FleetPace.begin(report({ refused: 1 }), 5_000).answer(5_000).rate).toBe(0.5);
  });

  it.each([
    [799, 2, 'settling'],
    [800, 2, 'queue'],
    [800, 3, 'settling'],
    [3_999, 90, 'settling'],
    [4_000, 90, 'queue'],
  ])('%i ms after it began, with %i held: %s', (after, held, pacedBy) => {
    const fleet = FleetPace.begin(report({ refused: 1 }), 50_000);
    const answer = fleet.report(report({ held }), 50_000 + after);
    expect(answer).toMatchObject({ pacedBy, nextReport: pacedBy === 'queue' ? 1_000 : 400 });
  });

  it('stays with the workers once the server cannot keep it', () => {
    const fleet = FleetPace.begin(report({ refused: 1 }), 0);
    fleet.leaveToWorkers();
    expect(fleet.report(report(), 60_000).pacedBy).toBe('workers');
    expect(fleet.queueRate(60_000)).toBeNull();
  });

  it('is shared by the processes that reported in the last 15 seconds', () => {
    const fleet = FleetPace.begin(report({ refused: 1 }), 0);
    fleet.report(report({ reporter: 'silent' }), 1);
    const before = fleet.report(report(), 15_000);
    expect(before.share).toBe(before.rate / 2);
    const after = fleet.report(report(), 15_001);
    expect(after.share).toBe(after.rate);
  });

  it('is shared by two thousand processes at most, whatever names report', () => {
    const { state } = FleetPace.begin(report({ refused: 1 }), 0);
    const known = Array.from({ length: 1_999 }, (_, index): [string, number] => [String(index), 0]);
    const fleet = new FleetPace({ ...state, reporters: Object.fromEntries(known) });
    for (const reporter of ['last', 'one too many', '7']) fleet.report(report({ reporter }), 100);
    const { reporters } = fleet.state;
    expect(Object.keys(reporters)).toHaveLength(2_000);
    expect(reporters).toMatchObject({ last: 100, '7': 100, '8': 0 });
  });

  it('goes on from its state in another run, and counts what was accepted and refused', () => {
    const fleet = FleetPace.begin(report({ refused: 1 }), 0);
    fleet.report(report({ accepted: 3, refused: 2 }), 100);
    fleet.report(report({ reporter: 'two', accepted: 4, refused: 1, pausedFor: 2_000 }), 200);
    expect(fleet.state).toMatchObject({ accepted: 7, refused: 3, reporters: { one: 100, two: 200 } });
    const before = structuredClone(fleet.state);
    const next = new FleetPace(fleet.state);
    expect(next.answer(300)).toEqual(fleet.answer(300));
    next.report(report({ reporter: 'three', accepted: 1 }), 400);
    expect(fleet.state).toEqual(before);
  });
});

describe('a report', () => {
  it('is one with its reporter and finite counts, and nothing else is', () => {
    const good = report();
    expect(isSubmitReport(good)).toBe(true);
    expect(isSubmitReport({ ...good, accepted: 12.5, more: 'fields' })).toBe(true);
    for (const wrong of [null, [], 'report', { ...good, reporter: 1 }, {}])
      expect(isSubmitReport(wrong)).toBe(false);
    expect(isSubmitReport({ ...good, reporter: 'x'.repeat(200), accepted: 1e12 })).toBe(true);
    expect(isSubmitReport({ ...good, reporter: 'x'.repeat(201) })).toBe(false);
    const counts = Object.keys(good).filter((name) => name !== 'reporter');
    for (const name of counts) {
      for (const value of [-1, Number.NaN, Infinity, 1e12 + 1, '1', undefined]) {
        expect(isSubmitReport({ ...good, [name]: value })).toBe(false);
      }
    }
  });
});
