import type { FieldError } from '../api/field-error.ts';
import { isRecord } from '../api/is-record.ts';
import type { Policy } from './policy.ts';
import { credits, isLeaf, POLICY, type Spec } from './policy-spec.ts';

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
  if (!isRecord(value)) {
    errors.push({ path, message: `must be an object with any of: ${Object.keys(spec).join(', ')}` });
    return base;
  }
  const merged: Record<string, unknown> = isRecord(base) ? { ...base } : {};
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
