/** A date and a time that end without a zone: those that `Date.parse` takes for local ones. */
const WITHOUT_ZONE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?$/;

/**
 * A time that the API tells, ISO 8601 (API specification, `created_at`), in milliseconds since the epoch; NaN where it is
 * none. One without a zone is UTC, whatever zone this machine is in.
 */
export function parseTimestamp(text: string): number {
  const given = text.trim();
  return Date.parse(WITHOUT_ZONE.test(given) ? `${given.replace(' ', 'T').replace(',', '.')}Z` : given);
}
