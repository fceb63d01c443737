/** RFC 9562: a UUID of version 7 begins with its time, 48 bits of milliseconds. */
const TIMED = /^([0-9a-f]{8})-([0-9a-f]{4})-7/;

/**
 * When a run began that the server no longer has, by its id: Temporal's are UUIDs of version 7.
 *
 * @returns milliseconds since the epoch; undefined where the id is of another kind, as older servers give them
 */
export function beginningOfRun(runId: string): number | undefined {
  const [, high, low] = TIMED.exec(runId) ?? [];
  return high === undefined ? undefined : Number.parseInt(`${high}${low}`, 16);
}
