import type { FaultRuleInput } from '../../emulator/src/index.ts';
import { FAST } from '../workflows/world.ts';

/** How a generation is made to fail in one way, and what becomes of it. */
export interface Failing {
  /** Until the operator has done something about it. */
  faults: FaultRuleInput[];
  policy?: object;
  /** What the failed run has cost, and what the page's way out costs. */
  cost: number;
  again: number;
  /** Done to its task before the operator runs it again. */
  mend?: 'finish';
}

const failsAs = (code: 'FAILED' | 'TIMEOUT' | 'PROVIDER_UNAVAILABLE' | 'RATE_LIMITED'): Failing => ({
  faults: [{ on: 'task', fault: { kind: 'fail', code } }],
  policy: { retries: { [code]: { resubmissions: 0 } } },
  cost: 8,
  again: 8,
});

const refusedAs = (code: string): Failing => ({
  faults: [{ on: 'submit', fault: { kind: 'error', code } }],
  cost: 0,
  again: 8,
});

/** By the failure's type without its prefix; what is not here has a test of its own. */
export const FAILING: Readonly<Record<string, Failing>> = {
  INVALID_INPUT: {
    faults: [{ on: 'task', fault: { kind: 'fail', code: 'INVALID_INPUT' } }],
    cost: 8,
    again: 8,
  },
  CONTENT_REJECTED: refusedAs('CONTENT_REJECTED'),
  TEMPLATE_NOT_FOUND: refusedAs('TEMPLATE_NOT_FOUND'),
  UNAUTHORIZED: refusedAs('UNAUTHORIZED'),
  WORKSPACE_FORBIDDEN: refusedAs('WORKSPACE_FORBIDDEN'),
  INSUFFICIENT_CREDITS: {
    ...refusedAs('INSUFFICIENT_CREDITS'),
    policy: {
      retries: { INSUFFICIENT_CREDITS: { initial: '20ms', factor: 1, max: '20ms', window: '200ms' } },
    },
  },
  RATE_LIMITED: failsAs('RATE_LIMITED'),
  FAILED: failsAs('FAILED'),
  PROVIDER_UNAVAILABLE: failsAs('PROVIDER_UNAVAILABLE'),
  TIMEOUT: failsAs('TIMEOUT'),
  TASK_OVERDUE: {
    faults: [{ on: 'task', fault: { kind: 'hang' } }],
    policy: { deadline: '400ms' },
    cost: 8,
    again: 0,
    mend: 'finish',
  },
  TASK_VANISHED: {
    faults: [{ on: 'task', fault: { kind: 'vanish' } }],
    policy: { vanished: { wait: '200ms' } },
    cost: 8,
    again: 8,
  },
  TASK_CANCELED: { faults: [{ on: 'task', fault: { kind: 'cancel' } }], cost: 8, again: 8 },
  SUBMISSION_UNKNOWN: {
    faults: [{ on: 'submit', fault: { kind: 'lost-before' } }],
    policy: { reconcile: { wait: '100ms', otherwise: 'fail' } },
    cost: 0,
    again: 8,
  },
  BUDGET_EXCEEDED: {
    faults: [{ on: 'task', fault: { kind: 'fail', code: 'FAILED' } }],
    policy: { budget: { credits: 8 }, retries: { FAILED: { resubmissions: 3 } } },
    cost: 8,
    again: 8,
  },
  OUTPUT_UNAVAILABLE: {
    faults: [{ on: 'file', fault: { kind: 'expired', status: 410 } }],
    cost: 8,
    again: 0,
  },
};

/** The tests' policy with a case's own laid over it. */
export function policyOf({ policy = {} }: Failing): object {
  const { retries = {}, ...rest } = policy as { retries?: Record<string, object> }; // of the cases above
  const merged = Object.entries(retries).map(([code, row]) => [
    code,
    { ...(FAST.retries as Record<string, object>)[code], ...row },
  ]);
  return { ...FAST, ...rest, retries: { ...FAST.retries, ...Object.fromEntries(merged) } };
}
