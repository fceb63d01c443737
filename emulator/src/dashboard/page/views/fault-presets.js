/** @import { Json } from '../types.d.ts' */

/**
 * @typedef {object} Preset
 * @property {string} text
 * @property {string} on which calls it strikes
 * @property {number} share of them, percent
 * @property {Json & { kind: string }} fault as the control API takes it
 */

/**
 * Faults that are often wanted, by the id that their rule gets: switching one on again replaces it.
 *
 * @type {Readonly<Record<string, Preset>>}
 */
export const PRESETS = {
  'lose-answers': {
    text: 'Lose answers after acceptance',
    on: 'submit',
    share: 5,
    fault: { kind: 'lost-after' },
  },
  'lose-submits': {
    text: 'Lose submits before acceptance',
    on: 'submit',
    share: 5,
    fault: { kind: 'lost-before' },
  },
  'rate-limit': {
    text: 'Rate limit',
    on: 'submit',
    share: 20,
    fault: { kind: 'error', code: 'RATE_LIMITED', retryAfter: 2 },
  },
  'provider-away': {
    text: 'Provider unavailable',
    on: 'submit',
    share: 20,
    fault: { kind: 'error', code: 'PROVIDER_UNAVAILABLE' },
  },
  'no-credits': {
    text: 'Not enough credits',
    on: 'submit',
    share: 100,
    fault: { kind: 'error', code: 'INSUFFICIENT_CREDITS' },
  },
  'garbled-answers': { text: 'Garble answers', on: 'submit', share: 5, fault: { kind: 'garbled' } },
  'gateway-errors': {
    text: 'Answer with a gateway’s error page',
    on: 'submit',
    share: 10,
    fault: { kind: 'html' },
  },
  'slow-answers': { text: 'Answer 10 s late', on: 'submit', share: 10, fault: { kind: 'slow', ms: 10_000 } },
  'failing-polls': {
    text: 'Fail to tell a task',
    on: 'get',
    share: 20,
    fault: { kind: 'html', status: 502 },
  },
  'failing-tasks': {
    text: 'Fail with a time-out',
    on: 'task',
    share: 10,
    fault: { kind: 'fail', code: 'TIMEOUT' },
  },
  'hanging-tasks': { text: 'Hang', on: 'task', share: 5, fault: { kind: 'hang' } },
  'canceled-tasks': { text: 'Get canceled from outside', on: 'task', share: 5, fault: { kind: 'cancel' } },
  'vanishing-tasks': { text: 'Vanish', on: 'task', share: 2, fault: { kind: 'vanish', when: 'started' } },
  'lose-webhooks': { text: 'Lose webhooks', on: 'webhook', share: 20, fault: { kind: 'lost' } },
  'repeat-webhooks': {
    text: 'Send webhooks three times',
    on: 'webhook',
    share: 20,
    fault: { kind: 'repeated', times: 2 },
  },
  'late-webhooks': {
    text: 'Send webhooks 10 s late',
    on: 'webhook',
    share: 20,
    fault: { kind: 'late', ms: 10_000 },
  },
  'reorder-webhooks': {
    text: 'Send webhooks out of order',
    on: 'webhook',
    share: 20,
    fault: { kind: 'reordered' },
  },
  'forge-webhooks': {
    text: 'Sign webhooks wrongly',
    on: 'webhook',
    share: 20,
    fault: { kind: 'wrongly-signed', attempts: 1 },
  },
  'lose-acknowledgements': {
    text: 'Lose acknowledgements',
    on: 'webhook',
    share: 20,
    fault: { kind: 'unacknowledged' },
  },
  'expired-files': { text: 'Let URLs expire', on: 'file', share: 20, fault: { kind: 'expired' } },
  'truncated-files': { text: 'Break off downloads', on: 'file', share: 20, fault: { kind: 'truncated' } },
  'wrong-types': { text: 'Lie about the content type', on: 'file', share: 20, fault: { kind: 'wrong-type' } },
};

/** What the rules' `on` means. */
export const CALLS = /** @type {Record<string, string>} */ ({
  submit: 'Submits',
  get: 'Polls',
  credits: 'Balance checks',
  task: 'Tasks',
  webhook: 'Webhooks',
  file: 'Downloads',
});
