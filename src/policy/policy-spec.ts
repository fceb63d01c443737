import { GENERATION_CODES } from '../api/codes.ts';
import { LONGEST_DURATION, parseDuration } from './duration.ts';

/**
 * How one leaf of the policy is read: the value it stands for (undefined: refused), what is allowed, for people, and
 * the same as JSON Schema.
 */
export interface Leaf {
  read: (value: unknown) => unknown;
  allowed: string;
  schema: Readonly<Record<string, unknown>>;
}
export type Spec = Leaf | { readonly [field: string]: Spec };

const duration: Leaf = {
  read: parseDuration,
  allowed:
    'a duration above zero and up to a year, like "500ms", "10s", "2m", "1h" or a number of milliseconds',
  schema: {
    anyOf: [
      { type: 'string', pattern: '^\\s*(?=[\\d.]*[1-9])\\d+(\\.\\d+)?\\s*(ms|s|m|h|d)\\s*$' },
      { type: 'number', minimum: 0.5, maximum: LONGEST_DURATION, description: 'milliseconds' },
    ],
    examples: ['500ms', '10s', '2m', '1h', 1500],
  },
};
const factor: Leaf = {
  read: (value) => (typeof value === 'number' && value >= 1 && value <= 100 ? value : undefined),
  allowed: 'a number from 1 to 100',
  schema: { type: 'number', minimum: 1, maximum: 100 },
};
const count: Leaf = {
  read: (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 1_000 ? value : undefined,
  allowed: 'a whole number from 0 to 1000',
  schema: { type: 'integer', minimum: 0, maximum: 1_000 },
};
export const credits: Leaf = {
  read: (value) => (typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined),
  allowed: 'a number of credits above zero',
  schema: { type: 'number', exclusiveMinimum: 0 },
};
const otherwise: Leaf = {
  read: (value) => (value === 'ask' || value === 'resubmit' || value === 'fail' ? value : undefined),
  allowed: '"ask", "resubmit" or "fail"',
  schema: { enum: ['ask', 'resubmit', 'fail'] },
};

const retry: Spec = { initial: duration, factor, max: duration, window: duration, resubmissions: count };

/** Every field of a policy. */
export const POLICY: Spec = {
  deadline: duration,
  polling: { first: duration, factor, max: duration },
  submit: { timeout: duration, heartbeat: duration },
  reconcile: { wait: duration, otherwise },
  vanished: { wait: duration },
  retries: Object.fromEntries(GENERATION_CODES.map((code) => [code, retry])),
  budget: { credits },
};

export function isLeaf(spec: Spec): spec is Leaf {
  return typeof spec['read'] === 'function';
}
