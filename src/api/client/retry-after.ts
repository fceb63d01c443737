/**
 * `Retry-After` in milliseconds from now: whole seconds or an HTTP date (RFC 9110). Undefined when absent,
 * malformed or in the past; at most one hour, so that a wrong clock cannot stop a workspace for a day.
 */
export function parseRetryAfter(value: string | string[] | undefined, now: number): number | undefined {
  const text = (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
  const delay = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isFinite(delay) && delay > 0 ? Math.min(delay, 3_600_000) : undefined;
}
