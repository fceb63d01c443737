import { GENERATION_CODES } from '../api/codes.ts';
import type { FieldError } from '../api/field-error.ts';
import { parseDuration } from './duration.ts';
import type { Policy } from './policy.ts';

/** How one leaf of the policy is read: the value it stands for (undefined: refused), and what is allowed. */
interface Leaf {
  read: (value: unknown) => unknown;
  allowed: string;
}
type Spec = Leaf | { readonly [field: string]: Spec };

const duration: Leaf = {
  read: parseDuration,
  allowed: 'a duration above zero, like "500ms", "10s", "2m", "1h" or a number of milliseconds',
};
const factor: Leaf = {
  read: (value) => (typeof value === 'number' && value >= 1 && value <= 100 ? value : undefined),
  allowed: 'a number from 1 to 100',
};
const count: Leaf = {
  read: (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 1_000 ? value : undefined,
  allowed: 'a whole number from 0 to 1000',
};
const credits: Leaf = {
  read: (value) => (typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined),
  allowed: 'a number of credits above zero',
};
const otherwise: Leaf = {
  read: (value) => (value === 'ask' || value === 'resubmit' || value === 'fail' ? value : undefined),
  allowed: '"ask", "resubmit" or "fail"',
};

const retry: Spec = { initial: duration, factor, max: duration, window: duration, resubmissions: count };

const POLICY: Spec = {
  deadline: duration,
  polling: { first: duration, factor, max: duration },
  submit: { timeout: duration, heartbeat: duration },
  reconcile: { wait: duration, otherwise },
  vanished: { wait: duration },
  retries: Object.fromEntries(GENERATION_CODES.map((code) => [code, retry])),
  budget: { credits },
};

/**
 * Lays any subset of the policy over `base`. Never throws: what cannot be read is reported with its path, and
 * the base's value stands in for it.
 */
export function parsePolicy(
  value: unknown,
  base: Policy,
  path = 'policy',
): { policy: Policy; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const policy = value === undefined ? base : merge(base, value, POLICY, path, errors);
  return { policy: policy as Policy, errors }; // `merge` keeps the base's shape
}

/** A budget beside the policy, as a pipeline has it: `{ "credits": 500 }`. */
export function parseBudget(
  value: unknown,
  path = 'budget',
): { budget: { credits: number } | undefined; errors: FieldError[] } {
  const errors: FieldError[] = [];
  if (value === undefined) return { budget: undefined, errors };
  const budget = merge({}, value, { credits }, path, errors) as { credits?: number }; // the spec above
  return { budget: budget.credits === undefined ? undefined : { credits: budget.credits }, errors };
}

function merge(base: unknown, value: unknown, spec: Spec, path: string, errors: FieldError[]): unknown {
  if (isLeaf(spec)) {
    const read = spec.read(value);
    if (read === undefined) errors.push({ path, message: `must be ${spec.allowed}` });
    return read ?? base;
  }
  if (!isObject(value)) {
    errors.push({ path, message: `must be an object with any of: ${Object.keys(spec).join(', ')}` });
    return base;
  }
  const merged: Record<string, unknown> = isObject(base) ? { ...base } : {};
  for (const [field, given] of Object.entries(value)) {
    const inner = Object.hasOwn(spec, field) ? spec[field] : undefined;
    if (inner === undefined) {
      errors.push({
        path: `${path}.${field}`,
        message: `is not known; allowed: ${Object.keys(spec).join(', ')}`,
      });
    } else if (given !== undefined) {
      merged[field] = merge(merged[field], given, inner, `${path}.${field}`, errors);
    }
  }
  return merged;
}

function isLeaf(spec: Spec): spec is Leaf {
  return typeof spec['read'] === 'function';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
