/**
 * A policy in milliseconds: the same code as in production, against the same server, in little time. Limits that a test
 * does not run into on purpose are long: a busy machine is not to either. Pauses grow up to a second: what waits long would
 * else keep the machine busy by asking.
 */
export const FAST = {
  deadline: '10m',
  polling: { first: '50ms', factor: 1.5, max: '1s' },
  submit: { timeout: '30s', heartbeat: '20s' },
  reconcile: { wait: '30s', otherwise: 'fail' },
  vanished: { wait: '300ms' },
  retries: Object.fromEntries(
    [
      'RATE_LIMITED',
      'PROVIDER_UNAVAILABLE',
      'TIMEOUT',
      'FAILED',
      'INSUFFICIENT_CREDITS',
      'CONTENT_REJECTED',
    ].map((code) => [code, { initial: '30ms', factor: 1.5, max: '1s', window: '1m' }]),
  ),
} as const;
