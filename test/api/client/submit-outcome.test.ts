import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../src/api/client/api-answer.ts';
import { parseRetryAfter } from '../../../src/api/client/retry-after.ts';
import { classifyAnswer, classifyFailure } from '../../../src/api/client/submit-outcome.ts';
import { toTransportFailure } from '../../../src/api/client/transport-failure.ts';

const NOW = Date.UTC(2026, 0, 1);

function answer(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return classifyAnswer(readAnswer({ status, headers, text }, { apiKey: '' }), NOW);
}

const error = (code: string) => ({ code, message: 'why' });

describe('what a submit’s answer means', () => {
  it.each([
    ['an answer with an id', 200, { id: 't1', status: 'IN_QUEUE', input: {}, usage: {} }, 'accepted'],
    ['201 with an id and nothing else', 201, { id: 't1' }, 'accepted'],
    ['202 with an unknown status', 202, { id: 't1', status: 'DREAMING' }, 'accepted'],
    ['2xx without an id', 200, { status: 'IN_QUEUE' }, 'unknown'],
    ['2xx with an empty id', 200, { id: '' }, 'unknown'],
    ['2xx that is cut off', 200, '{"id":"t1","sta', 'unknown'],
    ['2xx that is HTML', 200, '<html>hello</html>', 'unknown'],
    ['204 without a body', 204, '', 'unknown'],
    ['rate limited', 429, error('IMAGE_GENERATION_RATE_LIMITED'), 'rejected'],
    ['rate limited at an odd status', 503, error('IMAGE_GENERATION_RATE_LIMITED'), 'rejected'],
    ['provider unavailable', 503, error('VIDEO_GENERATION_PROVIDER_UNAVAILABLE'), 'rejected'],
    ['no credits', 402, error('TTS_GENERATION_INSUFFICIENT_CREDITS'), 'rejected'],
    ['content rejected', 400, error('IMAGE_GENERATION_CONTENT_REJECTED'), 'rejected'],
    ['invalid input', 422, error('IMAGE_GENERATION_INVALID_INPUT'), 'rejected'],
    ['a wrong key', 401, error('UNAUTHORIZED'), 'rejected'],
    ['a forbidden workspace', 403, error('WORKSPACE_FORBIDDEN'), 'rejected'],
    ['an unknown template', 404, error('TEMPLATE_NOT_FOUND'), 'rejected'],
    ['a time-out, at any status', 400, error('IMAGE_GENERATION_TIMEOUT'), 'unknown'],
    ['a time-out as 504', 504, error('IMAGE_GENERATION_TIMEOUT'), 'unknown'],
    ['a failure as 4xx', 400, error('IMAGE_GENERATION_FAILED'), 'rejected'],
    ['a failure as 5xx', 500, error('IMAGE_GENERATION_FAILED'), 'unknown'],
    ['a code of tomorrow as invalid', 422, error('IMAGE_GENERATION_MELTED'), 'rejected'],
    ['a code of tomorrow at a status that says nothing', 409, error('IMAGE_GENERATION_MELTED'), 'unknown'],
    ["a gateway's own code", 408, error('REQUEST_TIMEOUT'), 'unknown'],
    ['a code of tomorrow as 5xx', 500, error('IMAGE_GENERATION_MELTED'), 'unknown'],
    ['an HTML 502', 502, '<html>bad gateway</html>', 'unknown'],
    ['an HTML 503', 503, '<html>unavailable</html>', 'unknown'],
    ['an HTML 504', 504, '<html>gateway time-out</html>', 'unknown'],
    ['a 500 with someone else’s JSON', 500, { error: 'boom' }, 'unknown'],
    ['a permanent redirect', 308, '', 'rejected'],
    ['a 303, which may follow success', 303, '', 'unknown'],
    ['an HTML 404', 404, '<html>not here</html>', 'rejected'],
    ['a bare 429', 429, '', 'rejected'],
    ['a 408, which a gateway sends after forwarding', 408, '', 'unknown'],
  ])('%s', (_, status, body, kind) => {
    expect(answer(status, body).kind).toBe(kind);
  });

  it('carries the row of the policy table, the field errors and Retry-After of a rejection', () => {
    const errors = [{ path: 'prompt', message: 'too long', code: 'too_big' }];
    expect(
      answer(429, { ...error('IMAGE_GENERATION_RATE_LIMITED'), errors }, { 'retry-after': '7' }),
    ).toEqual({
      kind: 'rejected',
      code: 'IMAGE_GENERATION_RATE_LIMITED',
      row: 'RATE_LIMITED',
      message: 'why',
      errors: [{ path: 'prompt', message: 'too long' }],
      retryAfter: 7_000,
    });
  });
});

describe('what a submit’s answer is told with', () => {
  it.each<[number, unknown, Record<string, unknown>]>([
    [200, {}, { kind: 'unknown', reason: 'the answer 200 carries no task id' }],
    [199, { id: 't1' }, { kind: 'unknown', reason: 'the answer 199 has no error body that we know' }],
    [300, { id: 't1' }, { kind: 'unknown', reason: 'the answer 300 has no error body that we know' }],
    [
      302,
      error('IMAGE_GENERATION_MELTED'),
      {
        kind: 'unknown',
        reason: 'the answer 302 IMAGE_GENERATION_MELTED does not say whether a task was made',
      },
    ],
    [400, error('MELTED'), { kind: 'rejected', code: 'MELTED', row: undefined, message: 'why' }],
    [
      400,
      { code: 'IMAGE_GENERATION_FAILED', message: '' },
      {
        kind: 'rejected',
        code: 'IMAGE_GENERATION_FAILED',
        row: 'FAILED',
        message: 'the API answered 400 IMAGE_GENERATION_FAILED',
      },
    ],
    [502, '', { kind: 'unknown', reason: 'the answer 502 has no error body that we know' }],
  ])('%i with %j', (status, body, outcome) => {
    expect(answer(status, body)).toStrictEqual(outcome);
  });

  it.each<[number, string, string | undefined, string]>([
    [301, 'INVALID_REQUEST', undefined, 'it redirects; check DARKROOM_API_URL'],
    [307, 'INVALID_REQUEST', undefined, 'it redirects; check DARKROOM_API_URL'],
    [308, 'INVALID_REQUEST', undefined, 'it redirects; check DARKROOM_API_URL'],
    [400, 'INVALID_REQUEST', undefined, 'it does not take the request'],
    [401, 'UNAUTHORIZED', undefined, 'it does not take the API key; check DARKROOM_API_KEY'],
    [402, 'INSUFFICIENT_CREDITS', 'INSUFFICIENT_CREDITS', 'it asks for credits'],
    [403, 'WORKSPACE_FORBIDDEN', undefined, 'the API key may not do this'],
    [
      404,
      'INVALID_REQUEST',
      undefined,
      "it does not know this path; check DARKROOM_API_URL or the model's path",
    ],
    [405, 'INVALID_REQUEST', undefined, 'it does not take POST here; check DARKROOM_API_URL'],
    [413, 'INVALID_REQUEST', undefined, 'the request is too large for it'],
    [
      415,
      'INVALID_REQUEST',
      undefined,
      'it does not take JSON here, or no multipart/form-data, in which files are sent',
    ],
    [422, 'INVALID_REQUEST', undefined, 'it finds the input invalid'],
    [429, 'RATE_LIMITED', 'RATE_LIMITED', 'it asks to slow down'],
  ])('a bare %i is %s', (status, code, row, hint) => {
    const message = `the API answered ${status} without an error body: ${hint}`;
    expect(answer(status, '<html>')).toStrictEqual({ kind: 'rejected', code, row, message });
    const later = { kind: 'rejected', code, row, message, retryAfter: 7_000 };
    expect(answer(status, '<html>', { 'retry-after': '7' })).toEqual(later);
  });
});

describe('what a broken exchange means', () => {
  const broken = (code: string, started: boolean) =>
    classifyFailure(toTransportFailure(Object.assign(new Error('x'), { code }), 'http://api', started));

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'CERT_HAS_EXPIRED'])(
    '%s before anything was written: nothing was bought',
    (code) => {
      expect(broken(code, false)).toMatchObject({ kind: 'rejected', row: 'PROVIDER_UNAVAILABLE' });
    },
  );

  it.each(['ECONNRESET', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'EPIPE', 'SOMETHING_NEW'])(
    '%s after the request was begun: nobody knows',
    (code) => {
      expect(broken(code, true).kind).toBe('unknown');
    },
  );

  it.each([
    ['ENOTFOUND', 'dns', 'its name cannot be resolved'],
    ['EAI_AGAIN', 'dns', 'its name cannot be resolved'],
    ['ECONNREFUSED', 'refused', 'nothing listens there (connection refused)'],
    ['EHOSTUNREACH', 'unreachable', 'there is no route to it'],
    ['ENETUNREACH', 'unreachable', 'there is no route to it'],
    ['EADDRNOTAVAIL', 'unreachable', 'there is no route to it'],
    ['UND_ERR_CONNECT_TIMEOUT', 'connect-timeout', 'the connection timed out'],
    ['ETIMEDOUT', 'timeout', 'no answer came in time'],
    ['UND_ERR_HEADERS_TIMEOUT', 'timeout', 'no answer came in time'],
    ['UND_ERR_BODY_TIMEOUT', 'timeout', 'no answer came in time'],
    ['UND_ERR_ABORTED', 'aborted', 'the request was given up'],
    ['ABORT_ERR', 'aborted', 'the request was given up'],
    ['ECONNRESET', 'reset', 'the connection was closed before the answer was complete'],
    ['EPIPE', 'reset', 'the connection was closed before the answer was complete'],
    ['UND_ERR_SOCKET', 'reset', 'the connection was closed before the answer was complete'],
    ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'too-large', 'the answer is larger than allowed'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', 'the TLS handshake failed'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', 'the TLS handshake failed'],
    ['CERT_HAS_EXPIRED', 'tls', 'the TLS handshake failed'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls', 'the TLS handshake failed'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls', 'the TLS handshake failed'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls', 'the TLS handshake failed'],
    ['EPROTO', 'tls', 'the TLS handshake failed'],
    ['HOSTNAME_MISMATCH', 'tls', 'the TLS handshake failed'],
    ['EPROTOTYPE', 'network', 'the network failed'],
    ['XEPROTO', 'network', 'the network failed'],
    ['NO_CERT_HERE', 'network', 'the network failed'],
  ])('%s is %s, in words', (code, kind, words) => {
    const cause = Object.assign(new Error('x'), { code });
    const failure = toTransportFailure(cause, 'http://api', false);
    expect(failure).toMatchObject({ name: 'TransportFailure', kind, sent: 'no', cause });
    expect(failure.message).toBe(`cannot talk to http://api: ${words} [${code}]`);
    expect(classifyFailure(failure)).toEqual({
      kind: 'rejected',
      code: 'PROVIDER_UNAVAILABLE',
      row: 'PROVIDER_UNAVAILABLE',
      message: failure.message,
    });
  });

  it.each([undefined, null, 'text', 5, new Error('no code'), new AggregateError([]), { code: 5 }])(
    'an error without a code, like %s, is the network’s',
    (error) => {
      const failure = toTransportFailure(error, 'http://api', true);
      expect(failure).toMatchObject({ kind: 'network', sent: 'maybe' });
      expect(failure.message).toBe('cannot talk to http://api: the network failed');
      expect('cause' in failure).toBe(error !== undefined);
      expect(toTransportFailure(failure, 'http://other', false)).toBe(failure);
    },
  );

  it('finds the code in a cause, and in a connection tried over several addresses', () => {
    const nested = new TypeError('fetch failed', {
      cause: new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]),
    });
    expect(toTransportFailure(nested, 'http://api', false).kind).toBe('refused');
    const none = new AggregateError([], 'x', { cause: { code: 'ECONNREFUSED' } });
    expect(toTransportFailure(none, 'http://api', false).kind).toBe('refused');
  });
});

describe('Retry-After', () => {
  it.each([
    ['5', 5_000],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', undefined],
    ['0', undefined],
    ['-3', undefined],
    ['soon', undefined],
    ['999999999', 3_600_000],
    [' 5 ', 5_000],
    ['', undefined],
    [' ', undefined],
    [['9', '5'], 9_000],
    [[], undefined],
    ['3600', 3_600_000],
    ['3601', 3_600_000],
    ['Thu, 01 Jan 2026 00:00:00 GMT', undefined],
    ['Thu, 01 Jan 2026 01:00:01 GMT', 3_600_000],
    // Digits within a date are no seconds.
    ['01 Jan 2026 00:00:30 GMT', 30_000],
    ['Thu, 01 Jan 2026 00:00:30', Date.parse('Thu, 01 Jan 2026 00:00:30') - NOW || undefined],
    [undefined, undefined],
  ])('%j is %j', (value, milliseconds) => {
    expect(parseRetryAfter(value, NOW)).toBe(milliseconds);
  });
});
