import { inject } from 'vitest';

/**
 * Milliseconds that a test waits at most for what takes so long at the worst on a machine that is as quick as most: a
 * slower or busier one gets more, by what it has shown when the tests began.
 */
export function patience(milliseconds: number): number {
  return Math.ceil(milliseconds * (inject('slowness') ?? 1));
}
