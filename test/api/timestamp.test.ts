import { afterEach, expect, it, vi } from 'vitest';
import { parseTimestamp } from '../../src/api/records/timestamp.ts';

afterEach(() => vi.unstubAllEnvs());

const NOON = Date.UTC(2026, 0, 31, 12);

it.each([
  ['with a zone', '2026-01-31T12:00:00Z', NOON],
  ['with another zone', '2026-01-31T13:30:00+01:30', NOON],
  ['without a zone', '2026-01-31T12:00:00', NOON],
  ['without a zone, to the microsecond', '2026-01-31T12:00:00.123456', NOON + 123],
  ['without a zone and a T', '2026-01-31 12:00', NOON],
  ['that is a day', '2026-01-31', Date.UTC(2026, 0, 31)],
  ['that is none', 'soon', Number.NaN],
])('a time %s is the same on every machine', (_which, text, time) => {
  for (const zone of ['UTC', 'America/New_York', 'Asia/Kolkata']) {
    vi.stubEnv('TZ', zone);
    expect(parseTimestamp(text)).toBe(time);
  }
});
