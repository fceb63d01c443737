import { createSecretKey, type KeyObject } from 'node:crypto';

/** The least that the Standard Webhooks specification allows. */
const LEAST_BYTES = 24;
const LEAST_DISTINCT_BYTES = 8;
const PREFIX = 'whsec_';

/** One active secret of an endpoint, ready for both signature generations. Key objects show nothing when printed. */
export interface WebhookSecret {
  /** Keyed by the decoded secret. */
  readonly standard: KeyObject;
  /**
   * Keyed by the secret's text. The API specification says "key = endpoint secret" and that its value "may
   * carry" the prefix, so it is open whether the prefix belongs to the key: both are tried, with it first.
   */
  readonly legacy: readonly KeyObject[];
}

/** A secret that cannot be used. The message gives the reason and never the secret. */
export class UnusableSecretError extends Error {
  override readonly name = 'UnusableSecretError';
  /** Whether `any` would take it. */
  readonly isWeak: boolean;

  constructor(message: string, isWeak = false) {
    super(message);
    this.isWeak = isWeak;
  }
}

/**
 * Reads an endpoint's secret: base64 (standard alphabet, padding optional), with or without `whsec_`.
 *
 * @param strength `any` takes short ones as well
 * @throws UnusableSecretError when it is not base64, or shorter than 24 bytes
 */
export function parseSecret(text: string, strength: 'strict' | 'any' = 'strict'): WebhookSecret {
  const encoded = bare(text);
  const key = decode(encoded);
  if (strength === 'strict' && key.length < LEAST_BYTES)
    throw new UnusableSecretError(
      `the secret has ${key.length} bytes; at least ${LEAST_BYTES} are needed`,
      true,
    );
  return {
    standard: createSecretKey(key),
    legacy: [createSecretKey(Buffer.from(PREFIX + encoded)), createSecretKey(Buffer.from(encoded))],
  };
}

/** Whether two texts are one secret: prefix and padding make no other one of it. */
export function isSameSecret(one: string, other: string): boolean {
  return bytesOf(one).equals(bytesOf(other));
}

/** What a secret's text stands for. */
export function bytesOf(text: string): Buffer {
  return Buffer.from(bare(text), 'base64');
}

function bare(text: string): string {
  return text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
}

function decode(encoded: string): Buffer {
  if (encoded === '') throw new UnusableSecretError('the secret is empty');
  if (/^[\w-]+={0,2}$/.test(encoded) && /[-_]/.test(encoded)) {
    throw new UnusableSecretError('the secret is base64url; the standard alphabet (+ and /) is expected');
  }
  const key = Buffer.from(encoded, 'base64');
  const canonical = key.toString('base64');
  if (encoded !== canonical && encoded !== canonical.replaceAll('=', '')) {
    throw new UnusableSecretError('the secret is not base64');
  }
  return key;
}

/** Why a secret can be guessed, or undefined. */
export function whyGuessable(text: string): string | undefined {
  const key = bytesOf(text);
  if (new Set(key).size < LEAST_DISTINCT_BYTES) {
    return `the secret has fewer than ${LEAST_DISTINCT_BYTES} different bytes`;
  }
  const period = periodOf(key);
  if (period < LEAST_BYTES) return `the secret repeats itself after ${period} bytes`;
  const step = (key[1] ?? 0) - (key[0] ?? 0);
  if (key.every((byte, i) => i === 0 || ((byte - (key[i - 1] ?? 0) - step) & 0xff) === 0)) {
    return 'the secret is a plain sequence of bytes';
  }
  return undefined;
}

/** After how many bytes a key repeats itself at least once from beginning to end; its length where it does not. */
function periodOf(key: Buffer): number {
  for (let period = 1; period <= key.length / 2; period++) {
    if (key.subarray(period).equals(key.subarray(0, -period))) return period;
  }
  return key.length;
}
