import { createHmac, createSecretKey } from 'node:crypto';

/** Any good secret; the bare server never sees it and ours is started with it. */
export const SECRET = 'whsec_d0DbLTqcYOhrgwVSTAXTTMpYR7Umxz7pHLnBdXUyX1k=';
const KEY = createSecretKey(Buffer.from(SECRET.slice('whsec_'.length), 'base64'));
const LEGACY_KEY = createSecretKey(Buffer.from(SECRET));

export const BODY_BYTES = 600;

/** The standard signature alone, or with the legacy one beside it, as the API sends them. */
export type Generations = 'standard' | 'both';

/** A completed task's event as the API sends it, filled up to 600 bytes. */
export function eventBody(taskId: string): Buffer {
  const event = {
    event: 'task.completed',
    prediction: {
      id: taskId,
      state: 'succeeded',
      status: 'succeeded',
      input: { prompt: '', aspect_ratio: '16:9', n: 1 },
      template: null,
      error: null,
      logs: null,
      created_at: '2026-01-01T00:00:00.000Z',
      started_at: '2026-01-01T00:00:01.000Z',
      completed_at: '2026-01-01T00:00:09.000Z',
      workspace: 'default',
      owner: null,
      artifacts: [{ type: 'image', url: `https://cdn.example/${taskId}.png` }],
      credits: { available: 100, usage: 8 },
    },
  };
  event.prediction.input.prompt = 'a lighthouse at dawn '
    .repeat(30)
    .slice(0, BODY_BYTES - JSON.stringify(event).length);
  return Buffer.from(JSON.stringify(event));
}

/** The headers of one delivery, in the order the API specification lists them. */
export function signedHeaders(
  id: string,
  body: Buffer,
  generations: Generations,
  now: number = Date.now(),
): [name: string, value: string][] {
  const timestamp = String(Math.floor(now / 1000));
  const standard = createHmac('sha256', KEY).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const headers: [string, string][] = [
    ['webhook-id', id],
    ['webhook-timestamp', timestamp],
    ['webhook-signature', `v1,${standard}`],
  ];
  if (generations === 'standard') return headers;
  const legacy = createHmac('sha256', LEGACY_KEY).update(`${timestamp}.`).update(body).digest('hex');
  return [
    ...headers,
    ['X-Webhook-Signature', `v1=${legacy}`],
    ['X-Webhook-Timestamp', timestamp],
    ['X-Webhook-Event-Id', id],
    ['X-Webhook-Event-Type', 'task.completed'],
  ];
}

/** A whole request as it goes over the wire. */
export function wireRequest(headers: readonly (readonly [string, string])[], body: Buffer): Buffer {
  const lines = [
    ['Host', '127.0.0.1'],
    ['Content-Type', 'application/json'],
    ['Content-Length', String(body.length)],
    ['User-Agent', 'media-api'],
    ...headers,
  ].map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST /webhooks/default HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
}
