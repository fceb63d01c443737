/** Why an HTTP exchange gave no answer that we could read. */
export type TransportFailureKind =
  | 'dns'
  | 'refused'
  | 'unreachable'
  | 'tls'
  | 'connect-timeout'
  | 'timeout'
  | 'reset'
  | 'too-large'
  | 'aborted'
  | 'network';

/**
 * The exchange failed below HTTP's semantics. `sent` tells what a retry must know: `no` means that not one byte
 * of the request can have gone out, `maybe` that the other side may have acted on it.
 */
export class TransportFailure extends Error {
  override readonly name = 'TransportFailure';
  readonly kind: TransportFailureKind;
  readonly sent: 'no' | 'maybe';

  constructor(kind: TransportFailureKind, sent: 'no' | 'maybe', message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.sent = sent;
  }
}

const KINDS: Readonly<Record<string, TransportFailureKind>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'connect-timeout',
  ETIMEDOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_ABORTED: 'aborted',
  ABORT_ERR: 'aborted',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'too-large',
};

const WORDS: Readonly<Record<TransportFailureKind, string>> = {
  dns: 'its name cannot be resolved',
  refused: 'nothing listens there (connection refused)',
  unreachable: 'there is no route to it',
  tls: 'the TLS handshake failed',
  'connect-timeout': 'the connection timed out',
  timeout: 'no answer came in time',
  reset: 'the connection was closed before the answer was complete',
  'too-large': 'the answer is larger than allowed',
  aborted: 'the request was given up',
  network: 'the network failed',
};

/**
 * Turns what undici or Node threw into a TransportFailure.
 *
 * @param started whether undici had begun to write the request on a connection
 */
export function toTransportFailure(error: unknown, origin: string, started: boolean): TransportFailure {
  if (error instanceof TransportFailure) return error;
  const code = errorCode(error);
  const kind = KINDS[code] ?? (isTlsCode(code) ? 'tls' : 'network');
  const detail = code === '' ? '' : ` [${code}]`;
  return new TransportFailure(
    kind,
    started ? 'maybe' : 'no',
    `cannot talk to ${origin}: ${WORDS[kind]}${detail}`,
    error,
  );
}

function isTlsCode(code: string): boolean {
  return (
    /^(ERR_TLS_|ERR_SSL_|CERT_)/.test(code) ||
    /SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|^EPROTO$|HOSTNAME_MISMATCH/.test(code)
  );
}

function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError && error.errors.length > 0) return errorCode(error.errors[0]);
  if ('cause' in error) return errorCode(error.cause);
  return '';
}
