import { isRecord } from '../api/json/is-record.ts';

/** Lays one subset over another, field by field, without judging either. */
export function layOver(base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  if (!isRecord(base) || !isRecord(over)) return over;
  const merged: Record<string, unknown> = { ...base };
  for (const [field, value] of Object.entries(over)) merged[field] = layOver(merged[field], value);
  return merged;
}
