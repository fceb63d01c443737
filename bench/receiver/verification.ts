import { createHmac, createSecretKey } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { parseSecret } from '../../src/webhooks/signature/secrets.ts';
import { readSignatureHeaders } from '../../src/webhooks/signature/signature-headers.ts';
import { verify } from '../../src/webhooks/signature/verify.ts';
import { type Figure, figure, interleave, median, ratios, rounded } from '../measure.ts';
import { eventBody, SECRET, signedHeaders } from './deliveries.ts';

const ROUNDS = 15;
const DELIVERIES = 20_000;
const OTHER_HEADERS = [
  ['Host', '127.0.0.1'],
  ['Content-Type', 'application/json'],
  ['Content-Length', '600'],
  ['User-Agent', 'media-api'],
].flat();

/**
 * Verification alone, of a 600-byte delivery with its usual headers, against one HMAC over the same bytes (with
 * a prepared key: Node takes five times as long with a Buffer) and against the `standardwebhooks` package.
 */
export async function measureVerification(): Promise<Figure[]> {
  const now = Date.now();
  const secrets = [parseSecret(SECRET)];
  const key = createSecretKey(Buffer.from(SECRET.slice('whsec_'.length), 'base64'));
  const webhook = new Webhook(SECRET);
  const deliveries = Array.from({ length: DELIVERIES }, (_, i) => {
    const body = eventBody(`task_${i}`);
    const headers = signedHeaders(`msg_${i}_p5jXN8AQM9LW`, body, 'standard', now);
    const rawHeaders = OTHER_HEADERS.concat(headers.flat());
    const [[, id], [, timestamp]] = headers as [[string, string], [string, string]]; // they come first
    const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
    return { body, rawHeaders, signed, headers: Object.fromEntries(headers) };
  });
  const microseconds = (count: number, work: (delivery: (typeof deliveries)[number]) => unknown): number => {
    const start = performance.now();
    for (const delivery of deliveries.slice(0, count)) work(delivery);
    return ((performance.now() - start) * 1_000) / count;
  };
  const values = await interleave(ROUNDS, {
    hmac: () => microseconds(DELIVERIES, ({ signed }) => createHmac('sha256', key).update(signed).digest()),
    ours: () =>
      microseconds(DELIVERIES, ({ rawHeaders, body }) => {
        const signatureHeaders = readSignatureHeaders(rawHeaders);
        if (!verify(signatureHeaders, body, secrets, now, { legacy: 'refuse' }).ok)
          throw new Error('refused');
      }),
    standardwebhooks: () =>
      microseconds(DELIVERIES / 10, ({ body, headers }) =>
        webhook.verify(body, headers, { jsonParse: false }),
      ),
  });
  const ours = `ours: ${rounded(median(values.ours))} µs`;
  return [
    figure('receiver.verify', ratios(values.ours, values.hmac), {
      unit: 'of one HMAC',
      baseline: `createHmac with a KeyObject: ${rounded(median(values.hmac))} µs; ${ours}`,
    }),
    figure('receiver.verify.library', ratios(values.ours, values.standardwebhooks), {
      unit: 'of standardwebhooks',
      baseline: `standardwebhooks 1.1: ${rounded(median(values.standardwebhooks))} µs; ${ours}`,
    }),
  ];
}
