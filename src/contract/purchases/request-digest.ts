import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonicalJson } from '../../api/json/canonical-json.ts';
import { purchaseOf } from './purchase-of.ts';

/** The entry of a run's memo that holds the digest of its request: callers in other languages tell by it what a key stands for. */
export const REQUEST_MEMO = 'request';

/** Of two requests that are the same purchase it is the same: SHA-256, in hexadecimal, of JSON as RFC 8785 writes it. */
export function requestDigest(kind: 'generation' | 'pipeline', request: object): string {
  const sent: unknown = JSON.parse(JSON.stringify(request)); // as the converter sends it
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(purchaseOf(kind, sent)))));
}
