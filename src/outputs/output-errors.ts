/**
 * Why an output could not be stored. `kind` says what follows: nothing helps (`refused`), a fresh record may (`gone`),
 * or time does (`delayed`). The message names the file by its URL without the query, because a signed URL's query is a
 * secret.
 */
export abstract class OutputError extends Error {
  abstract readonly kind: 'refused' | 'gone' | 'delayed';
  /** The HTTP status that the file's server answered with. */
  readonly status: number | undefined = undefined;
  /** Milliseconds that it asked to wait for. */
  readonly retryAfter: number | undefined = undefined;
}

/** A rule does not let this output be fetched (scheme, credentials, address, size, number). For good. */
export class OutputRefused extends OutputError {
  override readonly name: string = 'OutputRefused';
  readonly kind = 'refused';
}

/** The file has more bytes than this try may fetch. */
export class OutputTooLarge extends OutputRefused {
  override readonly name = 'OutputTooLarge';
}

/** 410: the URL is dead. The record may have a fresh one. */
export class OutputGone extends OutputError {
  override readonly name = 'OutputGone';
  readonly kind = 'gone';
  override readonly status = 410;
}

/** Network, any status but 200 and 410, a truncated or stalled body: not there yet, or not now. */
export class OutputDelayed extends OutputError {
  override readonly name = 'OutputDelayed';
  readonly kind = 'delayed';
  override readonly status: number | undefined;
  override readonly retryAfter: number | undefined;

  constructor(
    message: string,
    details: { status?: number; retryAfter?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.status = details.status;
    this.retryAfter = details.retryAfter;
  }
}

/**
 * The server answered 200, but with an error page or another text where media was announced. Such pages come from
 * overloaded or misconfigured edges and go away again.
 */
export class OutputNotMedia extends OutputError {
  override readonly name = 'OutputNotMedia';
  readonly kind = 'delayed';
}

/** The store would not take or give the file; once a person has applied `fix` the next try succeeds. */
export class OutputStoreFailed extends OutputError {
  override readonly name = 'OutputStoreFailed';
  readonly kind = 'delayed';
  /** The folder or bucket. */
  readonly place: string;
  readonly fix: string;
  /** Whether it is away, or full, and may be back by itself; else it is configured in a way that cannot work. */
  readonly isAway: boolean;

  constructor(failure: { place: string; what: string; fix: string; isAway?: boolean; cause: unknown }) {
    super(`cannot use ${failure.place} for outputs: ${failure.what}; ${failure.fix}`, {
      cause: failure.cause,
    });
    this.place = failure.place;
    this.fix = failure.fix;
    this.isAway = failure.isAway ?? false;
  }
}
