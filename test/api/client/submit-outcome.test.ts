import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../../src/api/client/retry-after.ts';
import { classifyAnswer, classifyFailure } from '../../../src/api/client/submit-outcome.ts';
import { toTransportFailure } from '../../../src/api/client/transport-failure.ts';

const NOW = Date.UTC(2026, 0, 1);

function answer(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return classifyAnswer({ status, headers, text }, NOW);
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
    ['a code of tomorrow as 4xx', 409, error('IMAGE_GENERATION_MELTED'), 'rejected'],
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

  it('finds the code in a cause, and in a connection tried over several addresses', () => {
    const nested = new TypeError('fetch failed', {
      cause: new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]),
    });
    expect(toTransportFailure(nested, 'http://api', false).kind).toBe('refused');
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
    [undefined, undefined],
  ])('%j is %j', (value, milliseconds) => {
    expect(parseRetryAfter(value, NOW)).toBe(milliseconds);
  });
});
