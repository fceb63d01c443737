import { createHmac, randomBytes } from 'node:crypto';

/** A new endpoint secret: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** Whether a text can be a secret: base64, with or without `whsec_`, of at least 24 bytes. */
export function isSecret(secret: string): boolean {
  return /^(whsec_)?[A-Za-z0-9+/]+={0,2}$/.test(secret) && keyOf(secret).length >= 24;
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.replace('whsec_', ''), 'base64');
}

/**
 * The signature headers of a delivery, in both generations (API specification, Signature).
 *
 * Standard: base64 HMAC-SHA256 of `id.timestamp.body` with the decoded secret, one `v1,…` for each secret,
 * separated by spaces. Legacy: hex HMAC-SHA256 of `timestamp.body` with the secret as it is written; that
 * header has room for one, so it is signed with the newest.
 *
 * @param secrets newest first
 * @param timestamp Unix seconds, as it is sent
 */
export function signatures(
  secrets: readonly string[],
  id: string,
  timestamp: string,
  body: string,
): { standard: string; legacy: string } {
  const standard = secrets.map((secret) => {
    return `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  const legacy = createHmac('sha256', secrets[0] ?? '')
    .update(`${timestamp}.${body}`)
    .digest('hex');
  return { standard: standard.join(' '), legacy: `v1=${legacy}` };
}
