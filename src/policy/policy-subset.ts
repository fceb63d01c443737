import type { GenerationCode } from '../api/codes.ts';
import type { Otherwise } from './policy.ts';

/** `"500ms"`, `"10s"`, `"2m"`, `"1h"`, `"1d"`, or a number of milliseconds. */
type Duration = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}` | number;

/** Any subset of the policy, as a caller writes it: docs/policy.md explains each field. */
export interface PolicySubset {
  deadline?: Duration;
  polling?: GrowthSubset & { webhooks?: GrowthSubset; none?: GrowthSubset };
  submit?: { timeout?: Duration; heartbeat?: Duration };
  reconcile?: { wait?: Duration; otherwise?: Otherwise };
  vanished?: { wait?: Duration };
  outputs?: { wait?: Duration };
  retries?: Partial<Record<GenerationCode, RetrySubset>>;
  budget?: { credits: number };
}

interface GrowthSubset {
  first?: Duration;
  factor?: number;
  max?: Duration;
}

interface RetrySubset {
  initial?: Duration;
  factor?: number;
  max?: Duration;
  window?: Duration;
  resubmissions?: number;
}
