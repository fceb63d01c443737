import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { EVENT_STATES } from '../../../src/api/events/event-types.ts';
import { type WebhookEvent, webhookEventSchema } from '../../../src/api/events/webhook-event.ts';
import type { Received } from '../../emulator/webhooks/webhook-receiver.ts';
import { DELIVERY_HEADERS, PAYLOAD_FIELDS } from '../specification-payload.ts';

/** The receiver's tolerance for old timestamps, seconds (API specification, Limits). */
const REPLAY_WINDOW = 300;

/** The event of a delivery whose method, headers, both signatures and payload are right; else the test fails. */
export function delivered({ method, headers, raw }: Received, secret: string): WebhookEvent {
  const header = Object.fromEntries(DELIVERY_HEADERS.map((name) => [name, String(headers[name])]));
  const event = webhookEventSchema.parse(JSON.parse(raw));
  const timestamp = String(header['webhook-timestamp']);
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const standard = hmac(key, `${header['webhook-id']}.${timestamp}.${raw}`).toString('base64');
  const legacy = hmac(secret, `${timestamp}.${raw}`).toString('hex');
  expect({ method, ...header }).toEqual({
    method: 'POST',
    'webhook-id': expect.stringMatching(/^\S+$/),
    'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
    'webhook-signature': `v1,${standard}`,
    'x-webhook-signature': `v1=${legacy}`,
    'x-webhook-timestamp': timestamp,
    'x-webhook-event-id': header['webhook-id'],
    'x-webhook-event-type': event.event,
    'content-type': 'application/json',
  });
  expect(Math.abs(Date.now() / 1000 - Number(timestamp))).toBeLessThan(REPLAY_WINDOW);
  expect(() => new Webhook(secret).verify(raw, header)).not.toThrow();
  expect(Object.keys(event.prediction)).toEqual(expect.arrayContaining([...PAYLOAD_FIELDS.prediction]));
  expect(event.prediction).toMatchObject({
    state: EVENT_STATES[event.event],
    status: EVENT_STATES[event.event],
  });
  return event;
}

function hmac(key: Buffer | string, message: string): Buffer {
  return createHmac('sha256', key).update(message).digest();
}
