export interface FailedAttempt {
  /** The way that was tried, as the reader knows it. */
  way: string;
  /** Why it did not work; may have several lines. */
  reason: string;
}

/** No Temporal was found, and none could be fetched or built. The message is meant to be printed as it is. */
export class TemporalUnavailableError extends Error {
  override readonly name = 'TemporalUnavailableError';
  readonly attempts: readonly FailedAttempt[];

  /** `goVersion` is the oldest Go that builds the pinned Temporal CLI. */
  constructor(attempts: readonly FailedAttempt[], goVersion: string) {
    const tried = attempts.map(({ way, reason }) => `  - ${way}: ${reason.replaceAll('\n', '\n      ')}`);
    super(
      [
        'No Temporal server to be had. Tried, in this order:',
        ...tried,
        'Any one of these helps:',
        '  - start a Temporal server yourself and set TEMPORAL_ADDRESS, for example TEMPORAL_ADDRESS=localhost:7233',
        '  - install the Temporal CLI so that `temporal` is on the PATH: https://docs.temporal.io/cli#install',
        `  - install Go ${goVersion} or newer (https://go.dev/dl): Darkroom then builds the server, once, in some minutes`,
      ].join('\n'),
    );
    this.attempts = attempts;
  }
}
