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

function idOf(secret: Buffer): string {
  return createHash('sha256').update('darkroom ').update(secret).digest('hex').slice(0, DIGITS);
}
