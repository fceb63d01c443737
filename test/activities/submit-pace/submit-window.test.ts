import { mock } from 'node:test';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SubmitWindow } from '../../../src/activities/submit-pace/submit-window.ts';

const NEVER = new Promise<never>(() => undefined);
const START = 16;

// Not Vitest's clock: what waits by `vi.waitFor` or `expect.poll` in the same process, of whatever file, moves that one on.
beforeEach(() => mock.timers.enable({ apis: ['Date', 'setInterval'], now: Date.UTC(2026, 0, 1) }));
afterEach(() => mock.timers.reset());

/** One by one: within a longer tick the date is that of its end. */
function pass(milliseconds: number): void {
  for (let passed = 0; passed < milliseconds; passed += 1) mock.timers.tick(1);
}
/** Whether one more finds room at once. */
const hasRoom = async (window: SubmitWindow): Promise<boolean> => await window.enter(NEVER, 1);

/** A window with so many submits in flight. */
async function inFlight(count: number, window = new SubmitWindow()): Promise<SubmitWindow> {
  for (let index = 0; index < count; index += 1) expect(await hasRoom(window)).toBe(true);
  return window;
}

/** Whether each of so many that wait has been let in. */
function waitingAt(window: SubmitWindow, count: number): boolean[] {
  const isIn = Array.from({ length: count }, () => false);
  isIn.forEach((_, index) => void window.enter(NEVER, 60_000).then((let_) => (isIn[index] = let_)));
  return isIn;
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the submits that a workspace may have in flight', () => {
  it('are sixteen; who comes next gets the place of one that leaves', async () => {
    const window = await inFlight(START);
    expect(await hasRoom(window)).toBe(false);
    const isIn = waitingAt(window, 2);
    window.leave();
    await settled();
    expect(isIn).toEqual([true, false]);
  });

  it('are none the fewer for who waits no longer', async () => {
    const window = await inFlight(START);
    expect(await hasRoom(window)).toBe(false);
    await expect(window.enter(Promise.reject(new Error('canceled')), 1_000)).rejects.toThrow('canceled');
    window.leave();
    expect([await hasRoom(window), await hasRoom(window)]).toEqual([true, false]);
  });

  it('are one more for each that is accepted while half of them are in use', async () => {
    const window = await inFlight(7);
    window.accepted(0);
    await inFlight(START - 7, window);
    expect(await hasRoom(window)).toBe(false);
    const isIn = waitingAt(window, 2);
    window.accepted(0);
    await settled();
    expect(isIn).toEqual([true, false]);
  });

  it('are one more each 60 ms while the API accepts, for those who wait', async () => {
    const window = await inFlight(START);
    const isIn = waitingAt(window, 40);
    const letIn = async (): Promise<number> => {
      await settled();
      return isIn.filter((one) => one).length;
    };
    pass(600);
    expect(await letIn()).toBe(0);
    window.accepted(0);
    pass(59);
    expect(await letIn()).toBe(1);
    pass(1);
    expect(await letIn()).toBe(2);
    // Silent for a second, it is not taken to accept.
    pass(10_000);
    expect(await letIn()).toBe(1 + Math.floor(999 / 60));
  });

  it.each([
    ['a second', 0, 1_000],
    ['twice as long as an answer took', 700, 1_400],
  ])(
    'stay as many while the API was silent for less than %s, and begin anew then',
    async (_, took, silence) => {
      for (const [passed, isMore] of [
        [silence - 1, true],
        [silence, false],
      ] as const) {
        const window = await inFlight(START);
        window.accepted(took);
        for (let index = 0; index < START; index += 1) window.leave();
        pass(passed);
        await inFlight(START, window);
        expect(await hasRoom(window)).toBe(isMore);
      }
    },
  );

  it('are sixteen again when one was refused', async () => {
    const window = await inFlight(START);
    window.accepted(0);
    window.shrink();
    expect(await hasRoom(window)).toBe(false);
    const isIn = waitingAt(window, 1);
    pass(600);
    await settled();
    expect(isIn).toEqual([false]);
  });
});

it('those who found no room come again one after the other, after ten seconds at the latest', async () => {
  const window = new SubmitWindow();
  expect([window.away(), window.away(), window.away()]).toEqual([60, 120, 180]);
  pass(100);
  expect(window.away()).toBe(140);
  for (let index = 0; index < 200; index += 1) window.away();
  const late = Array.from({ length: 50 }, () => window.away());
  expect(Math.min(...late)).toBeGreaterThanOrEqual(10_000);
  expect(Math.max(...late)).toBeLessThanOrEqual(12_500);
  expect(new Set(late).size).toBeGreaterThan(1);
  window.accepted(0);
  expect(window.away()).toBeLessThanOrEqual(5_000);
});

it('those who found no room come again the sooner the more there is', async () => {
  const window = await inFlight(START);
  for (let index = 0; index < 4; index += 1) {
    window.accepted(0);
    await inFlight(1, window);
  }
  expect(window.away()).toBe(1_000 / 20);
});
