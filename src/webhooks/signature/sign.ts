import { createHmac } from 'node:crypto';
import { bytesOf } from './secrets.ts';

/**
 * The Standard Webhooks headers of a delivery: a signature for each secret, so that whoever verifies may rotate.
 *
 * @param at milliseconds since the epoch
 */
export function signedHeaders(
  secrets: readonly string[],
  { id, body, at }: { id: string; body: string; at: number },
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000));
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', bytesOf(secret)).update(`${id}.${timestamp}.${body}`);
    return `v1,${hmac.digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
