import { createHmac, type Hmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { WebhookSecret } from './secrets.ts';

/**
 * Whether any secret has made one of the standard signatures: one digest for each secret, compared with every candidate.
 *
 * @param signed what stands before the body in the signed text
 */
export function signedByAny(
  secrets: readonly WebhookSecret[],
  signed: string,
  body: Uint8Array,
  candidates: readonly string[],
): boolean {
  for (const { standard } of secrets) {
    const expected = `v1,${hmac(standard, signed, body).digest('base64')}`;
    for (const candidate of candidates) if (isSame(expected, candidate)) return true;
  }
  return false;
}

/** Whether any secret has made the legacy signature, keyed in one of the ways in which its text may be meant. */
export function legacySignedByAny(
  secrets: readonly WebhookSecret[],
  timestamp: string,
  body: Uint8Array,
  signature: string,
): boolean {
  const given = signature.toLowerCase();
  for (const { legacy } of secrets) {
    for (const key of legacy) {
      if (isSame(`v1=${hmac(key, `${timestamp}.`, body).digest('hex')}`, given)) return true;
    }
  }
  return false;
}

/** HMAC-SHA256 of a prefix (ASCII) and the body after it. */
function hmac(key: KeyObject, prefix: string, body: Uint8Array): Hmac {
  return createHmac('sha256', key).update(prefix, 'latin1').update(body);
}

/** Takes as long for a near miss as for a far one; lengths are no secret. */
function isSame(expected: string, given: string): boolean {
  return (
    expected.length === given.length &&
    timingSafeEqual(Buffer.from(expected, 'latin1'), Buffer.from(given, 'latin1'))
  );
}
