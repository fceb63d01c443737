import { createHash } from 'node:crypto';
import { bytesOf } from './secrets.ts';

/** Enough to tell a few apart, far too little to find one by. */
const DIGITS = 8;

/** An id of a webhook secret, the same in every program that has it. Nobody can use it as one. */
export function idOfSecret(text: string): string {
  return idOf(bytesOf(text));
}

/** The same of an API key. */
export function idOfKey(apiKey: string): string {
  return idOf(Buffer.from(apiKey));
}

/** The same of the headers that a workspace's requests have of their own. With the key: short values cannot be guessed. */
export function idOfHeaders(headers: Readonly<Record<string, string>>, apiKey: string): string {
  const sorted = Object.entries(headers).toSorted(([one], [two]) => (one < two ? -1 : 1));
  return idOf(Buffer.from(JSON.stringify([apiKey, sorted])));
}

function idOf(secret: Buffer): string {
  return createHash('sha256').update('darkroom ').update(secret).digest('hex').slice(0, DIGITS);
}
