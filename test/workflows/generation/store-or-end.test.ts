import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NO_USAGE } from '../../../src/api/records/usage.ts';
import { DEFAULT_POLICY } from '../../../src/policy/policy.ts';
import { BEGINNING } from '../../../src/workflows/generation/begin.ts';
import type { Storing } from '../../../src/workflows/generation/stage.ts';
import type { Run, State } from '../../../src/workflows/generation/state.ts';
import { storeOrEnd } from '../../../src/workflows/generation/store.ts';

const AT = Date.UTC(2026, 0, 1, 12);
const WAIT = 60_000;
const POLICY = { ...DEFAULT_POLICY, outputs: { wait: WAIT } };
const STATE: State = { ...BEGINNING, plan: { family: 'image', takesSeed: false, policy: POLICY } };
const TASK = { taskId: 'task-1', usage: NO_USAGE, adopted: false, heldAt: AT };
const RUN = { request: { model: 'image-l', input: {} } } as Run; // nothing else of it is asked for here

beforeEach(() => void vi.useFakeTimers({ now: AT, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** What follows one more try in vain, the latest of some that began so many milliseconds ago. */
function afterTryingFor(milliseconds: number, report: Storing['report']): State['stage'] {
  const tried = { since: AT - milliseconds, lastAt: AT - 1_000 };
  const before = { tries: 3, tried, pause: 1_000, lostWorkers: 0 };
  return storeOrEnd(RUN, STATE, { task: TASK, report }, before).stage;
}

describe('files that cannot be fetched yet', () => {
  const report = { kind: 'delayed', reason: 'it answers 404', url: null } as const;

  it('are tried a last time when the wait of the policy ends', () => {
    expect(afterTryingFor(WAIT - 1, report)).toMatchObject({ at: 'store', nextAt: AT + 1 });
  });

  it('are given up at its end, not later', () => {
    expect(afterTryingFor(WAIT, report)).toMatchObject({
      at: 'done',
      end: { type: 'OUTPUT_UNAVAILABLE', message: expect.stringMatching(/\(tried for 60 s\)$/) },
    });
  });

  it('are not given up by tries that found no place', () => {
    expect(afterTryingFor(2 * WAIT, { ...report, untried: true })).toMatchObject({ at: 'store' });
  });
});

it('a record that names no file is given up ten seconds later, and those begin when it is first so', () => {
  const report = { kind: 'delayed', reason: 'its record names no file', url: null, none: true } as const;
  const tried = { since: AT - 30_000, lastAt: AT - 1_000 };
  const after = (none: Storing['none']): State['stage'] => {
    const before = { tries: 9, tried, none, pause: 1_000, lostWorkers: 0 };
    return storeOrEnd(RUN, STATE, { task: TASK, report }, before).stage;
  };
  expect(after(undefined)).toMatchObject({ at: 'store', none: { since: AT } });
  expect(after(tried)).toMatchObject({
    at: 'done',
    end: { message: expect.stringMatching(/tried for 10 s/) },
  });
});
