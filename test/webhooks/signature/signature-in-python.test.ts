import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSecret } from '../../../src/webhooks/signature/secrets.ts';
import { readSignatureHeaders } from '../../../src/webhooks/signature/signature-headers.ts';
import { verify } from '../../../src/webhooks/signature/verify.ts';
import { type SignedDelivery, standardHeaders } from '../signed-delivery.ts';
import { askPython, isPythonReady } from './python-standardwebhooks.ts';

const NOW = Math.floor(Date.now() / 1000);

/**
 * Deliveries with secrets, ids and bodies of every kind; the seed is printed by a failing expectation. Their times are
 * far from the tolerance's ends: Python judges by the clock, and a busy machine is slow to ask it.
 */
function deliveries(count: number, seed: number): SignedDelivery[] {
  const arbitrary = fc.record({
    id: fc.stringMatching(/^[A-Za-z0-9_:-]{1,128}$/),
    timestamp: fc.integer({ min: NOW - 100, max: NOW + 100 }).map(String),
    body: fc.string({ unit: 'binary', maxLength: 2_000 }).map((text) => Buffer.from(text)),
    secret: fc.integer({ min: 24, max: 64 }).map((bytes) => `whsec_${randomBytes(bytes).toString('base64')}`),
  });
  return fc.sample(arbitrary, { numRuns: count, seed });
}

function accepts({ body, secret }: SignedDelivery, headers: Record<string, string>): boolean {
  return verify(
    readSignatureHeaders(Object.entries(headers).flat()),
    body,
    [parseSecret(secret)],
    NOW * 1000,
    { legacy: 'refuse' },
  ).ok;
}

const READY = isPythonReady();
const WHY = READY ? '' : ' (skipped: python3 and pip are missing, or cannot fetch it)';

describe.skipIf(!READY)(`PyPI's standardwebhooks${WHY}`, () => {
  it('signs deliveries that we accept', () => {
    const signed = deliveries(500, NOW);
    const signatures = askPython(
      signed.map(({ id, timestamp, body, secret }) => ({
        id,
        timestamp: Number(timestamp),
        body: body.toString('base64'),
        secret,
      })),
    );
    for (const [i, delivery] of signed.entries()) {
      const headers = { ...standardHeaders(delivery), 'webhook-signature': String(signatures[i]) };
      expect(accepts(delivery, headers), `seed ${NOW}, delivery ${i}`).toBe(true);
    }
  });

  it('accepts whatever we accept among deliveries that were tampered with', () => {
    const change = fc.record({
      header: fc.constantFrom('webhook-id', 'webhook-timestamp', 'webhook-signature'),
      at: fc.nat(50),
      remove: fc.nat(2),
      insert: fc.string({ maxLength: 2 }),
    });
    const changes = fc.sample(fc.option(change), { numRuns: 1_000, seed: NOW });
    const tampered = deliveries(1_000, NOW).map((delivery, i) => {
      const headers = standardHeaders(delivery);
      const { header = 'webhook-id', at = 0, remove = 0, insert = '' } = changes[i] ?? {};
      const value = headers[header] ?? '';
      return {
        delivery,
        headers: { ...headers, [header]: value.slice(0, at) + insert + value.slice(at + remove) },
      };
    });
    const ours = tampered.map(({ delivery, headers }) => accepts(delivery, headers));
    const theirs = askPython(
      tampered.map(({ delivery: { body, secret }, headers }) => ({
        secret,
        body: body.toString('base64'),
        headers,
      })),
    );
    expect(
      ours.flatMap((accepted, i) => (accepted && theirs[i] !== true ? [i] : [])),
      `seed ${NOW}`,
    ).toEqual([]);
    expect(ours.filter(Boolean).length).toBeGreaterThan(100);
    expect(ours.filter((accepted) => !accepted).length).toBeGreaterThan(100);
  });
});
