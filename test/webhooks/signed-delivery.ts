import { createHmac } from 'node:crypto';

/** The secret that most tests use; its bytes are random. */
export const SECRET = 'whsec_d0DbLTqcYOhrgwVSTAXTTMpYR7Umxz7pHLnBdXUyX1k=';
export const OTHER_SECRET = 'whsec_gwkqZLm7gUAbP5m7rJ5eGsaPIgVtC4f4C1sUqn4mIyo=';

export interface SignedDelivery {
  id: string;
  timestamp: string;
  body: Buffer;
  secret: string;
}

/** A delivery of now. */
export function delivery(body: unknown, over: Partial<SignedDelivery> = {}): SignedDelivery {
  return {
    id: `evt_${Math.random().toString(36).slice(2)}`,
    timestamp: String(Math.floor(Date.now() / 1000)),
    body: Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    secret: SECRET,
    ...over,
  };
}

/** The standard signature, by Node's own HMAC: not by the code under test. */
export function standardSignature({ id, timestamp, body, secret }: SignedDelivery): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** The legacy signature: keyed by the secret's text. */
export function legacySignature({ timestamp, body, secret }: SignedDelivery): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;
}

export function standardHeaders(delivery: SignedDelivery): Record<string, string> {
  return {
    'webhook-id': delivery.id,
    'webhook-timestamp': delivery.timestamp,
    'webhook-signature': standardSignature(delivery),
  };
}

export function legacyHeaders(delivery: SignedDelivery, type?: string): Record<string, string> {
  return {
    'X-Webhook-Signature': legacySignature(delivery),
    'X-Webhook-Timestamp': delivery.timestamp,
    'X-Webhook-Event-Id': delivery.id,
    ...(type === undefined ? {} : { 'X-Webhook-Event-Type': type }),
  };
}

/** An event as the API sends it, personal data and all. */
export function event(type: string, taskId: string, over: Record<string, unknown> = {}): object {
  return {
    event: type,
    prediction: {
      id: taskId,
      state: 'queued',
      status: 'queued',
      input: { prompt: 'a lighthouse at dawn', n: 1 },
      template: null,
      error: null,
      logs: null,
      created_at: '2026-01-01T00:00:00.000Z',
      started_at: null,
      completed_at: null,
      workspace: 'default',
      owner: { id: 7, email: 'jane@example.org', name: 'Jane Doe', avatar: null },
      artifacts: [],
      credits: { available: 100, usage: 0 },
      ...over,
    },
  };
}
