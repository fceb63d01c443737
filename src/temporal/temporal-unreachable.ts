/** Temporal cannot be used as configured. The message names the cause, the setting and what to do. */
export class TemporalUnreachable extends Error {
  override readonly name = 'TemporalUnreachable';
}
