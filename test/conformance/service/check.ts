import { test } from 'vitest';
import type { Capability } from './implementation.ts';
import { NotHere } from './not-here.ts';
import type { Target } from './target.ts';

/** Writes down one test of the service under test; it is skipped, with the reason, where it cannot be made. */
export type Check = (title: string, body: (target: Target) => Promise<void>) => void;

/** The same for tests of what an implementation may lack: it is skipped where the service says so. */
export function needing(check: Check, ...capabilities: Capability[]): Check {
  return (title, body) =>
    check(title, async (target) => {
      target.needs(...capabilities);
      await body(target);
    });
}

/** @param patience milliseconds that a test may wait for one thing; the test itself gets longer, so that it says what it waited for */
export function checksOf(target: () => Target, patience: number): Check {
  return (title, body) => {
    // oxlint-disable-next-line vitest/valid-title, vitest/expect-expect -- both come from who calls
    test(title, { timeout: 2 * patience + 10_000 }, async ({ skip }) => {
      try {
        await body(target());
      } catch (error) {
        if (error instanceof NotHere) skip(error.message);
        throw error;
      }
    });
  };
}
