import { createHmac } from 'node:crypto';
import type { Received } from '../../emulator/webhooks/webhook-receiver.ts';
import { DELIVERY_HEADERS } from '../specification-payload.ts';
import { withoutSecrets } from './cut-secrets.ts';
import type { RecordedDelivery } from './recording.ts';

const SIGNATURES: ReadonlySet<string> = new Set(['webhook-signature', 'x-webhook-signature']);

/**
 * A webhook without its secrets: of its signatures only how they are written and whether they are right.
 *
 * @param key of the account
 * @param secret of the endpoint
 */
export function recordDelivery(
  { headers, raw, payload }: Received,
  key: string,
  secret: string,
): RecordedDelivery {
  const given = DELIVERY_HEADERS.flatMap((name): [string, string][] => {
    const value = headers[name];
    if (value === undefined) return [];
    const text = String(value);
    return [
      [name, SIGNATURES.has(name) ? text.replace(/[,=].*$/s, (end) => `${end.slice(0, 1)}<cut>`) : text],
    ];
  });
  const timestamp = String(headers['webhook-timestamp']);
  const signed = `${String(headers['webhook-id'])}.${timestamp}.${raw}`;
  const decoded = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const standard = `v1,${createHmac('sha256', decoded).update(signed).digest('base64')}`;
  const legacy = `v1=${createHmac('sha256', secret)
    .update(`${String(headers['x-webhook-timestamp'])}.${raw}`)
    .digest('hex')}`;
  return {
    headers: Object.fromEntries(given),
    signatures: {
      // While a secret is rotated there may be several.
      standard: String(headers['webhook-signature']).split(' ').includes(standard),
      legacy: headers['x-webhook-signature'] === legacy,
    },
    body: withoutSecrets(payload, key),
  };
}
