import { createHmac } from 'node:crypto';
import { bytesOf } from './secrets.ts';

/** The Standard Webhooks headers of a delivery. @param at milliseconds since the epoch */
export function signedHeaders(
  secret: string,
  { id, body, at }: { id: string; body: string; at: number },
): Record<string, string> {
  const timestamp = String(Math.floor(at / 1_000));
  const signature = createHmac('sha256', bytesOf(secret))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
