/** How long a limit holds before it begins anew; in UTC. */
export const PERIODS = ['hour', 'day', 'month', 'ever'] as const;
/** The configuration takes no minute: tests wait for its end. */
export const ALL_PERIODS = ['minute', ...PERIODS] as const;
export type Per = (typeof ALL_PERIODS)[number];

/** Characters of an ISO 8601 time that name the period: `2026-11-24T13`, `2026-11-24`, `2026-11`. */
const NAMED = { minute: 16, hour: 13, day: 10, month: 7 } as const;
const MINUTE = 60_000;

/** The name of the period that a time lies in. @param at milliseconds since the epoch */
export function periodOf(per: Per, at: number): string {
  return per === 'ever' ? per : new Date(at).toISOString().slice(0, NAMED[per]);
}

/** When the period ends that a time lies in, in milliseconds since the epoch; null: never. */
export function periodEnd(per: Per, at: number): number | null {
  if (per === 'minute') return (Math.floor(at / MINUTE) + 1) * MINUTE;
  const time = new Date(at);
  const [year, month, day, hour] = [
    time.getUTCFullYear(),
    time.getUTCMonth(),
    time.getUTCDate(),
    time.getUTCHours(),
  ];
  if (per === 'hour') return Date.UTC(year, month, day, hour + 1);
  if (per === 'day') return Date.UTC(year, month, day + 1);
  return per === 'month' ? Date.UTC(year, month + 1) : null;
}
