const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** A year, in milliseconds. */
export const MAX_DURATION = 365 * 86_400_000;

/**
 * `"500ms"`, `"10s"`, `"2m"`, `"1h"`, `"1d"` or a number of milliseconds → whole milliseconds, at least 1.
 * Undefined for anything else: zero, negative, more than a year, no unit.
 */
export function parseDuration(value: unknown): number | undefined {
  const milliseconds = typeof value === 'string' ? fromText(value) : value;
  if (typeof milliseconds !== 'number') return undefined;
  const whole = Math.round(milliseconds);
  return whole >= 1 && whole <= MAX_DURATION ? whole : undefined;
}

function fromText(value: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/.exec(value.trim());
  if (match === null) return undefined;
  return Number(match[1]) * (UNITS[match[2] ?? ''] ?? Number.NaN);
}

/** Milliseconds for a person: `850 ms`, `12 s`, `4 min`, `1 h 30 min`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 10_000) return `${Number((milliseconds / 1_000).toFixed(1))} s`;
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
