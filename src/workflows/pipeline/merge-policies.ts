import { isRecord } from '../../api/is-record.ts';

/** Lays one policy subset over another, field by field, without judging it: each is checked where it is used. */
export function mergePolicies(base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  if (!isRecord(base) || !isRecord(over)) return over;
  const merged: Record<string, unknown> = { ...base };
  for (const [field, value] of Object.entries(over)) merged[field] = mergePolicies(merged[field], value);
  return merged;
}
