import { describe, expect, it } from 'vitest';
import { type ParkedGeneration, readParked } from '../../../src/contract/entities/credit-gate.ts';
import { jsonBytes } from '../../../src/contract/json-bytes.ts';
import { GateQueue } from '../../../src/workflows/credit-gate/gate-queue.ts';

const pace = { initial: 100, factor: 1, max: 100 };

const parked = (index: number, more: Partial<ParkedGeneration> = {}): ParkedGeneration => ({
  parkId: `${String(index).padStart(8, '0')}-f690-4d92-8a29-a3cd5e73df6b`,
  workflowId: `generation/order-${String(index).padStart(6, '0')}`,
  runId: `${String(index).padStart(8, '0')}-b090-79f9-89a0-bfa401fc8e57`,
  parkedSince: 1_800_000_000_000 + index,
  pace,
  baseline: 0,
  ...more,
});

function queueOf(entries: readonly ParkedGeneration[]): GateQueue {
  const queue = new GateQueue();
  for (const entry of entries) queue.park(entry);
  return queue;
}

const numbers = (woken: readonly { workflowId: string }[]): number[] =>
  woken.map(({ workflowId }) => Number(workflowId.slice(-6)));

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

describe('the queue of a credit gate', () => {
  it('wakes those with known prices, in order, as far as the balance goes', () => {
    const queue = queueOf([2, 0, 1].map((index) => parked(index, { price: 8 })));
    expect(numbers(queue.release(7, 0))).toEqual([]);
    expect(numbers(queue.release(17, 0))).toEqual([0, 1]);
    expect(numbers(queue.release(1, 0))).toEqual([]);
    expect(numbers(queue.release(9, 0))).toEqual([2]);
  });

  it('lets nobody overtake the one at its head', () => {
    const queue = queueOf([parked(0, { price: 100 }), parked(1, { price: 1 }), parked(2)]);
    expect(numbers(queue.release(50, 0))).toEqual([]);
    queue.leave(parked(0).parkId);
    expect(numbers(queue.release(50, 0))).toEqual([1, 2]);
  });

  it('wakes many without a known price in growing batches while the balance pays for them', () => {
    const queue = queueOf(range(8_000).map((index) => parked(index)));
    let balance = 80_000;
    const batches: number[] = [];
    for (let round = 0; queue.size > 0 && round < 1_000; round += 1) {
      const { length } = queue.release(balance, 0);
      batches.push(length);
      balance -= 8 * length;
    }
    expect(batches.slice(0, 7)).toEqual([1, 2, 4, 8, 16, 32, 50]);
    expect(batches.length).toBeLessThan(170);
  });

  it('wakes no more without a known price than the balance pays for by what the last have cost', () => {
    const queue = queueOf(range(5).map((index) => parked(index)));
    expect(numbers(queue.release(19, 0))).toEqual([0]);
    expect(numbers(queue.release(11, 0))).toEqual([1]);
    expect(numbers(queue.release(3, 0))).toEqual([2]);
    queue.park(parked(2, { baseline: 3, refused: true }));
    expect(numbers(queue.release(3, 0))).toEqual([]);
  });

  it('wakes nobody after one has come back refused, until the balance is above that', () => {
    const queue = queueOf(range(3).map((index) => parked(index)));
    expect(numbers(queue.release(5, 0))).toEqual([0]);
    queue.park(parked(0, { baseline: 5, refused: true, parkId: 'again' }));
    for (const balance of [5, 4, 5]) expect(numbers(queue.release(balance, 0))).toEqual([]);
    expect(numbers(queue.release(6, 0))).toEqual([0]);
  });

  it('lets one try after a while, and later and later while it is refused', () => {
    const queue = queueOf([parked(0, { price: 8, baseline: 50 }), parked(1, { baseline: 50 })]);
    const tried: number[] = [];
    for (let now = 0; now <= 6_000; now += 100) {
      const woken = queue.release(50, now);
      expect(woken.length).toBeLessThan(2);
      if (woken.length === 0) continue;
      tried.push(now);
      queue.park(parked(0, { price: 8, baseline: 50, refused: true, parkId: `again ${now}` }));
    }
    expect(tried).toEqual([300, 1_000, 2_300, 4_800]);
  });

  it('lets nobody try whom the balance would not pay for', () => {
    const queue = queueOf([parked(0, { price: 100, baseline: 50 }), parked(1, { baseline: 50 })]);
    for (let now = 0; now < 10_000; now += 100) expect(queue.release(50, now)).toEqual([]);
    const empty = queueOf([parked(0)]);
    for (let now = 0; now < 10_000; now += 100) expect(empty.release(0, now)).toEqual([]);
  });

  it('opens for those that were refused when the one that tries does not come back, or another submit is accepted', () => {
    const refused = () =>
      queueOf([0, 1, 2].map((index) => parked(index, { price: 8, baseline: 50, refused: true })));
    const queue = refused();
    expect(queue.release(50, 0)).toEqual([]);
    expect(numbers(queue.release(50, 300))).toEqual([0]);
    expect(numbers(queue.release(42, 400))).toEqual([1, 2]);
    const told = refused();
    expect(told.release(50, 0)).toEqual([]);
    told.open();
    expect(numbers(told.release(50, 1))).toEqual([0, 1, 2]);
  });

  it('goes on where it was carried over to', () => {
    const first = queueOf([parked(0, { price: 8, baseline: 3 }), parked(1, { refused: true })]);
    first.release(2, 0);
    const second = new GateQueue(first.entries(), first.pace);
    expect(second.entries()).toEqual(first.entries());
    expect(second.pace).toEqual(pace);
    expect(numbers(second.release(8, 0))).toEqual([0]);
  });

  it('holds eight thousand as what one payload takes, and no more than that, however long their ids are', () => {
    const many = queueOf(range(8_000).map((index) => parked(index, { price: 8, refused: true })));
    expect(many.size).toBe(8_000);
    expect(jsonBytes(many.entries())).toBeLessThan(1_400_000);
    const long = queueOf(
      range(8_000).map((index) => parked(index, { workflowId: `${'€'.repeat(255)}${index}` })),
    );
    expect(long.size).toBeLessThan(8_000);
    long.release(0, 0);
    expect(jsonBytes(long.entries())).toBeLessThan(1_400_000);
  });
});

describe('a signal to a credit gate', () => {
  it.each([
    [null],
    [undefined],
    [5],
    ['parked'],
    [[]],
    [{}],
    [{ parkId: 'p' }],
    [{ parkId: 5, workflowId: 'w' }],
    [{ parkId: 'p', workflowId: '' }],
    [{ parkId: 'p'.repeat(2_000), workflowId: 'w' }],
  ])('that is none is not taken: %j', (value) => {
    expect(readParked(value, 1_000)).toBeUndefined();
  });

  it('with wrong numbers is taken without them', () => {
    const wild = {
      parkId: 'p',
      workflowId: 'w',
      runId: 5,
      parkedSince: 1e300,
      price: -5,
      baseline: 'many',
      refused: 'yes',
      pace: { initial: 0, factor: -1, max: Number.NaN },
    };
    expect(readParked(wild, 1_000)).toEqual({
      parkId: 'p',
      workflowId: 'w',
      parkedSince: 1_000,
      pace: { initial: 20, factor: 1, max: 300_000 },
    });
    expect(readParked({ parkId: 'p', workflowId: 'w', pace: null }, 1_000)?.pace.initial).toBe(30_000);
  });
});
