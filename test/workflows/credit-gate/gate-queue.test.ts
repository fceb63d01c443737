import { describe, expect, it } from 'vitest';
import { GateQueue } from '../../../src/workflows/credit-gate/gate-queue.ts';

describe('the queue for credits', () => {
  const pace = { initial: 1, factor: 1, max: 1, window: 1 };
  const parked = (name: string, parkedSince: number, price?: number) => ({
    parkId: `${name}/${parkedSince}`,
    workflowId: name,
    runId: 'r',
    parkedSince,
    pace,
    ...(price === undefined ? {} : { price }),
  });
  const names = (entries: { workflowId: string }[]): string[] => entries.map(({ workflowId }) => workflowId);

  it('wakes those whose price is known, in order, while the balance covers them', () => {
    const queue = new GateQueue();
    queue.park(parked('c', 3, 8));
    queue.park(parked('a', 1, 8));
    queue.park(parked('b', 2, 8));
    expect(names(queue.release(7))).toEqual([]);
    expect(names(queue.release(17))).toEqual(['a', 'b']);
    expect(names(queue.release(17))).toEqual(['c']);
  });

  it('lets nobody overtake the one at the head', () => {
    const queue = new GateQueue();
    queue.park(parked('large', 1, 50));
    queue.park(parked('small', 2, 1));
    expect(queue.release(20)).toEqual([]);
    expect(names(queue.release(51))).toEqual(['large', 'small']);
  });

  it('wakes one of unknown price when the balance has grown, then the next, until one is refused', () => {
    const queue = new GateQueue();
    queue.park(parked('a', 1));
    queue.park(parked('b', 2));
    queue.park(parked('c', 3));
    expect(queue.release(3)).toEqual([]);
    expect(queue.release(3)).toEqual([]);
    expect(names(queue.release(19))).toEqual(['a']);
    expect(names(queue.release(11))).toEqual(['b']);
    queue.park({ ...parked('b', 2), parkId: 'b/again' });
    expect(queue.release(3)).toEqual([]);
    expect(names(queue.release(30))).toEqual(['b']);
    expect(names(queue.release(22))).toEqual(['c']);
  });

  it('does not wake a refused one again at the same balance', () => {
    const queue = new GateQueue();
    queue.park({ ...parked('a', 1, 8), baseline: 5 });
    expect(names(queue.release(10))).toEqual(['a']);
    queue.park({ ...parked('a', 1, 8), parkId: 'a/again' });
    expect(queue.release(10)).toEqual([]);
    expect(names(queue.release(11))).toEqual(['a']);
  });
});
