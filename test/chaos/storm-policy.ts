import { type GenerationCode, PREFIXED_CODES } from '../../src/api/codes.ts';
import { layOver } from '../../src/policy/lay-over.ts';
import { DEFAULT_POLICY } from '../../src/policy/policy.ts';
import type { StormSize } from './storm-size.ts';
import { MENDS, type MendName } from './without/mends.ts';

/** A submit's time-out, milliseconds. */
export const SUBMIT_TIMEOUT = 4_000;

/** The default policy with its times scaled down, and no person to ask. */
export function stormPolicy({ deadline, evidenceWait }: StormSize, without?: MendName): object {
  const pace = { initial: 200, factor: 2, max: 2_000, window: '1h' };
  const policy = {
    deadline,
    polling: { first: 1_500, factor: 1.5, max: 6_000 },
    // A machine that is busy starting workers beats late: a short heartbeat would only make unknown submits.
    submit: { timeout: SUBMIT_TIMEOUT, heartbeat: 4_000 },
    reconcile: { wait: evidenceWait, otherwise: 'resubmit' },
    vanished: { wait: 12_000 }, // longer than a look may come late on a busy machine
    retries: Object.fromEntries(PREFIXED_CODES.map((code) => [code, pace])),
  };
  return layOver(policy, without === undefined ? {} : MENDS[without].policy) as object; // of two objects
}

/** How many further tasks the policy asks for after tasks that failed with a code. */
export function resubmissions(code: GenerationCode): number {
  return DEFAULT_POLICY.retries[code].resubmissions;
}
