import type { FaultRuleInput } from '../../emulator/src/faults/rule.ts';
import type { GenerationCode } from '../../src/api/codes.ts';

/** Codes that end a generation when a submit is refused with them. */
export const FINAL_REFUSALS = [
  'UNAUTHORIZED',
  'WORKSPACE_FORBIDDEN',
  'TEMPLATE_NOT_FOUND',
  'INVALID_INPUT',
  'CONTENT_REJECTED',
  'FAILED',
] as const satisfies readonly GenerationCode[];

/** Codes that end a generation when its task fails with them. */
export const FINAL_FAILURES = [
  'INVALID_INPUT',
  'CONTENT_REJECTED',
  'UNAUTHORIZED',
  'WORKSPACE_FORBIDDEN',
  'TEMPLATE_NOT_FOUND',
] as const satisfies readonly GenerationCode[];

/** Generations with this in their workflow id are refused for good with that code. */
export const refusedMark = (code: GenerationCode): string => `refused-${code.toLowerCase()}`;
/** The tasks of generations with this in their workflow id fail with that code. */
export const failingMark = (code: GenerationCode): string => `failing-${code.toLowerCase()}`;

/** Generations with this in their workflow id lose half of the answers to their submits, and ask a person. */
export const ASKING = 'asking';

/** The tasks of generations with this in their workflow id fail often: their budgets hold few. */
export const TIGHT = 'tight';

type Kinds = readonly (readonly [share: number, fault: FaultRuleInput['fault']])[];

/** Longest that an answer is late and still in time: a disturbance this long after a charge may have hit it. */
export const SLOW_ANSWER = 1_200;

/**
 * What goes wrong at the API. Shares are of what the rules before have spared, so the ones that the storm is about
 * come first. Final codes strike only generations that are marked for them: everybody else has to succeed.
 */
export function faultRules(submitTimeout: number): FaultRuleInput[] {
  const asking: Kinds = [
    [0.35, { kind: 'lost-before' }],
    [0.35, { kind: 'lost-after' }],
  ];
  const tight: Kinds = [
    [0.4, { kind: 'fail', code: 'RATE_LIMITED' }],
    // That is paid back.
    [0.3, { kind: 'fail', code: 'PROVIDER_UNAVAILABLE' }],
  ];
  const submit: Kinds = [
    [0.05, { kind: 'lost-before' }],
    [0.05, { kind: 'lost-after' }],
    [0.01, { kind: 'reset' }],
    [0.01, { kind: 'garbled' }],
    [0.01, { kind: 'truncated' }],
    [0.005, { kind: 'no-id' }],
    [0.005, { kind: 'status', status: 500 }],
    [0.005, { kind: 'html', status: 502 }],
    [0.01, { kind: 'html', status: 504, accepted: true }],
    [0.005, { kind: 'error', code: 'TIMEOUT' }],
    [0.01, { kind: 'error', code: 'TIMEOUT', accepted: true }],
    [0.005, { kind: 'error', code: 'FAILED', status: 500 }],
    [0.01, { kind: 'error', code: 'FAILED', status: 500, accepted: true }],
    // Few: the fleet slows down for each, and a refusal that has nothing to do with its pace teaches it a wrong one.
    [0.003, { kind: 'error', code: 'RATE_LIMITED' }],
    [0.003, { kind: 'error', code: 'RATE_LIMITED', retryAfter: 1 }],
    [0.002, { kind: 'error', code: 'RATE_LIMITED', retryAfter: 2, retryAfterAsDate: true }],
    [0.02, { kind: 'error', code: 'PROVIDER_UNAVAILABLE' }],
    [0.015, { kind: 'error', code: 'INSUFFICIENT_CREDITS' }],
    [0.02, { kind: 'slow', ms: SLOW_ANSWER }],
    [0.02, { kind: 'slow', ms: SLOW_ANSWER, when: 'before' }],
    // The caller is gone by then, and the service makes its task all the same.
    [0.004, { kind: 'slow', ms: submitTimeout + 1_000, when: 'before' }],
    [0.004, { kind: 'slow', ms: submitTimeout + 1_000 }],
  ];
  const task: Kinds = [
    [0.015, { kind: 'fail', code: 'FAILED' }],
    [0.015, { kind: 'fail', code: 'TIMEOUT' }],
    [0.015, { kind: 'fail', code: 'RATE_LIMITED' }],
    [0.015, { kind: 'fail', code: 'PROVIDER_UNAVAILABLE' }],
    [0.01, { kind: 'fail', code: 'INSUFFICIENT_CREDITS' }],
    [0.005, { kind: 'cancel' }],
    [0.005, { kind: 'hang' }],
    [0.005, { kind: 'vanish', when: 'accepted' }],
    [0.005, { kind: 'vanish', when: 'started' }],
    [0.05, { kind: 'slow', ms: 2_500 }],
  ];
  const webhook: Kinds = [
    [0.2, { kind: 'lost' }],
    [0.1, { kind: 'repeated', times: 2 }],
    [0.1, { kind: 'late', ms: 1_500 }],
    [0.1, { kind: 'reordered', ms: 1_500 }],
    [0.03, { kind: 'wrongly-signed', attempts: 1 }],
    [0.03, { kind: 'unacknowledged', attempts: 1 }],
    [0.02, { kind: 'dead-endpoint', attempts: 1 }],
  ];
  const get: Kinds = [
    [0.01, { kind: 'lost-before' }],
    [0.01, { kind: 'garbled' }],
    [0.01, { kind: 'truncated' }],
    [0.01, { kind: 'html', status: 503 }],
    [0.01, { kind: 'error', code: 'UNAUTHORIZED', status: 401 }],
    [0.01, { kind: 'error', code: 'FORBIDDEN', status: 403 }],
    [0.04, { kind: 'error', code: 'PREDICTION_NOT_FOUND', status: 404 }],
    [0.02, { kind: 'slow', ms: 400 }],
  ];
  const file: Kinds = [
    [0.05, { kind: 'expired' }],
    [0.05, { kind: 'expired', status: 404 }],
    [0.05, { kind: 'truncated' }],
    [0.05, { kind: 'reset' }],
    [0.03, { kind: 'slow', ms: 300 }],
  ];
  return [
    ...FINAL_REFUSALS.map((code) => ({
      on: 'submit' as const,
      match: { workflowIncludes: refusedMark(code) },
      fault: { kind: 'error' as const, code, ...(code === 'FAILED' ? { status: 400 } : {}) },
    })),
    ...FINAL_FAILURES.map((code) => ({
      on: 'task' as const,
      match: { workflowIncludes: failingMark(code) },
      fault: { kind: 'fail' as const, code },
    })),
    ...shares('submit', asking, { workflowIncludes: ASKING }),
    ...shares('task', tight, { workflowIncludes: TIGHT }),
    ...shares('submit', submit),
    ...shares('task', task),
    ...shares('webhook', webhook),
    ...shares('get', get),
    ...shares('file', file),
    ...shares('credits', [[0.1, { kind: 'lost-before' }]]),
  ];
}

function shares(on: FaultRuleInput['on'], kinds: Kinds, match?: FaultRuleInput['match']): FaultRuleInput[] {
  // Each list is written for its `on`; the schema checks the pair when the emulator starts.
  const rules = kinds.map(([share, fault]) => ({
    on,
    share,
    fault,
    ...(match === undefined ? {} : { match }),
  }));
  return rules as FaultRuleInput[];
}

/** While it holds, no file can be fetched: some are not there yet, some are refused. */
export const NO_FILES: readonly FaultRuleInput[] = [
  { id: 'no-files-404', on: 'file', share: 0.5, fault: { kind: 'expired', status: 404 } },
  { id: 'no-files-403', on: 'file', fault: { kind: 'expired', status: 403 } },
];

/** While it holds, no record can be read, but each time for another reason. */
export const NO_RECORDS: readonly FaultRuleInput[] = [
  { id: 'no-records-503', on: 'get', share: 0.4, fault: { kind: 'html', status: 503 } },
  {
    id: 'no-records-401',
    on: 'get',
    share: 0.5,
    fault: { kind: 'error', code: 'UNAUTHORIZED', status: 401 },
  },
  { id: 'no-records', on: 'get', fault: { kind: 'lost-before' } },
];
