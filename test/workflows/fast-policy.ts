/** A policy in milliseconds: the same code as in production, against the same server, in little time. */
export const FAST = {
  deadline: '20s',
  polling: { first: '50ms', factor: 1.5, max: '300ms' },
  submit: { timeout: '5s', heartbeat: '2s' },
  reconcile: { wait: '8s', otherwise: 'fail' },
  vanished: { wait: '300ms' },
  retries: Object.fromEntries(
    [
      'RATE_LIMITED',
      'PROVIDER_UNAVAILABLE',
      'TIMEOUT',
      'FAILED',
      'INSUFFICIENT_CREDITS',
      'CONTENT_REJECTED',
    ].map((code) => [code, { initial: '30ms', factor: 1.5, max: '200ms', window: '10s' }]),
  ),
} as const;
