import { Agent, request } from 'undici';
import type { WebhookFault } from '../faults/rule.ts';
import type { Attempt, Delivery } from './delivery.ts';
import { signatures } from './sign.ts';

/** How much of a receiver's answer is kept for the log, bytes. */
const KEPT_ANSWER = 1024;

/** Where the faults `wrongly-signed` and `dead-endpoint` lead: the discard port, where nobody listens. */
const DEAD_URL = 'http://127.0.0.1:9/';
const WRONG_SECRET = `whsec_${Buffer.alloc(32, 'wrong').toString('base64')}`;

export interface Target {
  url: string;
  /** Those that sign now, newest first. */
  secrets: readonly string[];
  /** Milliseconds for the receiver to begin its answer. */
  timeout: number;
}

/** The connections that deliveries go over: kept open, up to `connections` for each receiver. */
export function deliveryAgent(connections: number): Agent {
  return new Agent({ connections, pipelining: 1, keepAliveTimeout: 10_000 });
}

/** One POST of a delivery. Whatever comes of it is the attempt's record; it never throws. */
export async function send(agent: Agent, delivery: Delivery, target: Target): Promise<Attempt> {
  const at = Date.now();
  const fault = strikingFault(delivery);
  const url = fault === 'dead-endpoint' ? DEAD_URL : target.url;
  const secrets = fault === 'wrongly-signed' ? [WRONG_SECRET] : target.secrets;
  const timestamp = String(Math.floor(at / 1000));
  const signed = signatures(secrets, delivery.eventId, timestamp, delivery.body);
  try {
    const { statusCode, body } = await request(url, {
      method: 'POST',
      dispatcher: agent,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'darkroom-emulator',
        'webhook-id': delivery.eventId,
        'webhook-timestamp': timestamp,
        'webhook-signature': signed.standard,
        'x-webhook-signature': signed.legacy,
        'x-webhook-timestamp': timestamp,
        'x-webhook-event-id': delivery.eventId,
        'x-webhook-event-type': delivery.type,
      },
      body: delivery.body,
      headersTimeout: target.timeout,
      bodyTimeout: target.timeout,
    });
    const answer = await beginning(body);
    if (fault === 'unacknowledged') {
      return { at, took: Date.now() - at, status: null, answer: '', error: 'the answer got lost (fault)' };
    }
    return { at, took: Date.now() - at, status: statusCode, answer, error: null };
  } catch (error) {
    return { at, took: Date.now() - at, status: null, answer: '', error: reason(error) };
  }
}

/** The kind of the fault that strikes the attempt that comes now. */
function strikingFault({ fault, attempts }: Delivery): WebhookFault['kind'] | undefined {
  // The other kinds decide whether and when an attempt is made, not what it is like.
  const strikes =
    fault?.kind === 'wrongly-signed' || fault?.kind === 'dead-endpoint' || fault?.kind === 'unacknowledged';
  return strikes && attempts.length < (fault.attempts ?? Number.POSITIVE_INFINITY) ? fault.kind : undefined;
}

/** Reads an answer to its end, or gives up on an endless one: only then can the connection be used again. */
async function beginning(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    if (size < KEPT_ANSWER) chunks.push(chunk.subarray(0, KEPT_ANSWER - size));
    size += chunk.length;
    if (size > 64 * KEPT_ANSWER) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
