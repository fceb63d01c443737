import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SubmitSlots } from '../../src/worker/submit-slots.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] }));
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;
const SUBMIT = { type: 'activity', activityType: 'submitTask' } as const;

/** A worker with polls out, of which one has had its submit just now. */
async function pollingWorker(polls: number) {
  const slots = new SubmitSlots(10);
  const permits = await Promise.all(Array.from({ length: polls + 1 }, () => slots.reserveSlot({}, never)));
  const take = (index: number): void =>
    slots.markSlotUsed({ permit: permits[index] ?? {}, slotInfo: SUBMIT });
  take(polls);
  const release = (index: number): void => slots.releaseSlot({ permit: permits[index] ?? {} });
  return { slots, take, release };
}

/** Whether a promise has settled by now. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol('open');
  return (await Promise.race([promise, Promise.resolve(open)])) !== open;
}

it('a stop waits until each poll that is out has got its submit', async () => {
  const { slots, take } = await pollingWorker(2);
  const drained = slots.drain();
  take(0);
  await vi.advanceTimersByTimeAsync(400);
  expect(await hasSettled(drained)).toBe(false);
  take(1);
  await drained;
});

it('a stop gives up polls for which nothing comes', async () => {
  const { slots, take } = await pollingWorker(3);
  const drained = slots.drain();
  await vi.advanceTimersByTimeAsync(400);
  take(0);
  await vi.advanceTimersByTimeAsync(400);
  expect(await hasSettled(drained)).toBe(false);
  await vi.advanceTimersByTimeAsync(100);
  await drained;
});

it('a worker without work stops at once', async () => {
  const slots = new SubmitSlots(10);
  await slots.reserveSlot({}, never);
  await expect(slots.drain()).resolves.toBeUndefined();
});

it('a stop ends however many submits come', async () => {
  const { slots, take } = await pollingWorker(9);
  const drained = slots.drain();
  for (let poll = 0; poll < 8; poll += 1) {
    take(poll);
    expect(await hasSettled(drained)).toBe(false);
    await vi.advanceTimersByTimeAsync(400);
  }
  expect(await hasSettled(drained)).toBe(true);
});

it('a worker that is being stopped gets no place for a further poll, whatever becomes free', async () => {
  const { slots, take, release } = await pollingWorker(1);
  const drained = slots.drain();
  const further = slots.reserveSlot({}, never);
  take(0);
  release(0);
  release(1);
  await drained;
  expect(await hasSettled(further)).toBe(false);
  expect(slots.tryReserveSlot()).toBeNull();
});

it('as many submits run at a time as there are places; who waits for one gets the next, unless it leaves', async () => {
  const slots = new SubmitSlots(1);
  const first = await slots.reserveSlot({}, never);
  const left = new AbortController();
  const leaving = slots.reserveSlot({}, left.signal);
  const next = slots.reserveSlot({}, never);
  left.abort();
  await expect(leaving).rejects.toBe(left.signal.reason);
  expect(await hasSettled(next)).toBe(false);
  slots.releaseSlot({ permit: first });
  expect(await next).not.toBe(first);
  expect(slots.tryReserveSlot()).toBeNull();
});
