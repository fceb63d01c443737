/**
 * Why an output could not be stored. `retryable` says whether the same attempt may go well later; the message names
 * the file by its URL without the query, because a signed URL's query is a secret.
 */
export abstract class OutputError extends Error {
  abstract readonly retryable: boolean;
}

/** The guard does not let this URL be fetched (protocol, credentials, address, size). Trying again changes nothing. */
export class OutputRefused extends OutputError {
  override readonly name = 'OutputRefused';
  readonly retryable = false;
}

/** The URL has expired or never led anywhere: the record may have a fresh one, this one stays dead. */
export class OutputGone extends OutputError {
  override readonly name = 'OutputGone';
  readonly retryable = false;
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Network, 5xx, 429, a truncated or stalled body. `retryAfter`: milliseconds that the server asked for. */
export class OutputTransient extends OutputError {
  override readonly name = 'OutputTransient';
  readonly retryable = true;
  readonly retryAfter: number | undefined;

  constructor(message: string, details: { retryAfter?: number | undefined; cause?: unknown } = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.retryAfter = details.retryAfter;
  }
}

/**
 * The server answered 200, but with an error page or another text where media was announced. Retryable: such pages
 * come from overloaded or misconfigured edges and go away again.
 */
export class OutputNotMedia extends OutputError {
  override readonly name = 'OutputNotMedia';
  readonly retryable = true;
}

/**
 * The store would not take or give the file. Retryable: the result is paid for, and once a person has applied `fix`
 * the next try succeeds.
 */
export class OutputStoreFailed extends OutputError {
  override readonly name = 'OutputStoreFailed';
  readonly retryable = true;
  /** The folder or bucket. */
  readonly place: string;
  readonly fix: string;

  constructor(failure: { place: string; what: string; fix: string; cause: unknown }) {
    super(`cannot use ${failure.place} for outputs: ${failure.what}; ${failure.fix}`, {
      cause: failure.cause,
    });
    this.place = failure.place;
    this.fix = failure.fix;
  }
}
