import type { WebhookSecret } from './secrets.ts';
import type { SignatureHeaders } from './signature-headers.ts';
import { legacySignedByAny, signedByAny } from './signed-by.ts';

/** Either way, in seconds (API specification: 5 minutes recommended). */
const TIMESTAMP_TOLERANCE = 5 * 60;

/** A sender that rotates signs with two secrets, perhaps three. */
const MOST_SIGNATURES = 8;

const REFUSAL_REASONS = [
  'missing',
  'repeated',
  'malformed',
  /** An id of unusual characters or length. */
  'unusual-id',
  'stale',
  'future',
  'mismatch',
  /** The legacy headers beside a standard signature do not agree with it. */
  'legacy-disagreeing',
  'legacy-only',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

export type Verification =
  | {
      ok: true;
      webhookId: string;
      /** Unix seconds. */
      timestamp: number;
      /** A legacy signature does not cover the id. */
      generation: 'standard' | 'legacy';
      /** What the header `X-Webhook-Event-Type` says the body is. */
      eventType: string | undefined;
    }
  | { ok: false; reason: RefusalReason };

/** How a workspace's deliveries are judged; where a field is absent, strictly. */
export interface VerifyOptions {
  /** Whether a delivery that carries only the legacy headers can be accepted. */
  legacy: 'refuse' | 'accept';
  /** `any`: ids of any visible characters, at most 512, instead of the sane ones. */
  ids?: 'strict' | 'any' | undefined;
  /** `ignore`: legacy headers beside a standard signature are not looked at. */
  legacyHeaders?: 'check' | 'ignore' | undefined;
}

const REFUSED = Object.fromEntries(
  REFUSAL_REASONS.map((reason) => [reason, Object.freeze({ ok: false, reason })]),
) as Record<RefusalReason, Verification>; // one entry for each reason, by construction

const IDS = {
  /** No dot: it separates the parts of the signed text. */
  strict: /^[\w:-]{1,128}$/,
  any: /^[\x21-\x7e]{1,512}$/,
} as const;
const SIGNATURE = /^v\d{1,3}[a-z]?,[A-Za-z0-9+/]+={0,2}$/;
const STANDARD = /^v1,[A-Za-z0-9+/]{43}=$/;
const LEGACY = /^v1=[0-9a-f]{64}$/i;

/**
 * Judges a delivery by its signature headers and raw body (API specification, Signature; Standard Webhooks).
 * Stricter than the usual libraries: every signature header at most once, plainly decimal timestamps, ids of a
 * sane alphabet and length, only well-formed signatures, and legacy copies that agree with what they copy.
 *
 * The standard signature decides. A legacy signature beside it has to be right as well, under any active
 * secret; only where the sender rotates (several standard signatures) it is not held against the delivery,
 * since its one place may be taken by a secret that is not active here yet.
 *
 * @param headers from `readSignatureHeaders`: undefined when one of them stood there twice
 * @param now milliseconds since the epoch
 */
export function verify(
  headers: SignatureHeaders | undefined,
  body: Uint8Array,
  secrets: readonly WebhookSecret[],
  now: number,
  options: VerifyOptions,
): Verification {
  if (headers === undefined) return REFUSED.repeated;
  const { id, timestamp, signature } = headers;
  if (id === undefined && timestamp === undefined && signature === undefined) {
    return verifyLegacy(headers, body, secrets, now, options);
  }
  if (id === undefined || timestamp === undefined || signature === undefined) return REFUSED.missing;
  if (!IDS[options.ids ?? 'strict'].test(id)) return REFUSED['unusual-id'];
  const seconds = readTimestamp(timestamp);
  if (seconds === undefined) return REFUSED.malformed;
  const untimely = judgeAge(seconds, now);
  if (untimely !== undefined) return untimely;

  const candidates = signature.split(' ');
  if (candidates.length > MOST_SIGNATURES) return REFUSED.malformed;
  if (!signedByAny(secrets, `${id}.${timestamp}.`, body, candidates)) {
    return candidates.every(isWellFormed) ? REFUSED.mismatch : REFUSED.malformed;
  }
  if (!candidates.every(isWellFormed)) return REFUSED.malformed;

  const looksAtLegacy = options.legacyHeaders !== 'ignore';
  if (looksAtLegacy && !legacyAgrees(headers, id, timestamp, body, secrets, candidates)) {
    return REFUSED['legacy-disagreeing'];
  }
  return {
    ok: true,
    webhookId: id,
    timestamp: seconds,
    generation: 'standard',
    eventType: looksAtLegacy ? headers.eventType : undefined,
  };
}

/** Whether legacy headers beside a standard signature, as far as they are there, say the same as it does. */
function legacyAgrees(
  { legacySignature, legacyTimestamp, legacyId }: SignatureHeaders,
  id: string,
  timestamp: string,
  body: Uint8Array,
  secrets: readonly WebhookSecret[],
  candidates: readonly string[],
): boolean {
  if (disagrees(legacyId, id) || disagrees(legacyTimestamp, timestamp)) return false;
  if (legacySignature === undefined) return true;
  if (legacyTimestamp === undefined) return false;
  if (legacySignedByAny(secrets, timestamp, body, legacySignature)) return true;
  const isRotating = candidates.filter(isOurVersion).length > 1;
  return isRotating && LEGACY.test(legacySignature);
}

function verifyLegacy(
  { legacySignature, legacyTimestamp, legacyId, eventType }: SignatureHeaders,
  body: Uint8Array,
  secrets: readonly WebhookSecret[],
  now: number,
  { legacy, ids = 'strict' }: VerifyOptions,
): Verification {
  if (legacySignature === undefined || legacyTimestamp === undefined || legacyId === undefined) {
    return REFUSED.missing;
  }
  if (legacy === 'refuse') return REFUSED['legacy-only'];
  if (!IDS[ids].test(legacyId)) return REFUSED['unusual-id'];
  if (!LEGACY.test(legacySignature)) return REFUSED.malformed;
  const seconds = readTimestamp(legacyTimestamp);
  if (seconds === undefined) return REFUSED.malformed;
  const untimely = judgeAge(seconds, now);
  if (untimely !== undefined) return untimely;
  if (!legacySignedByAny(secrets, legacyTimestamp, body, legacySignature)) return REFUSED.mismatch;
  return { ok: true, webhookId: legacyId, timestamp: seconds, generation: 'legacy', eventType };
}

function disagrees(copy: string | undefined, original: string): boolean {
  return copy !== undefined && copy !== original;
}

/** Plain decimal digits without leading zeros; undefined for anything else. */
function readTimestamp(text: string): number | undefined {
  if (text.length === 0 || text.length > 11 || text.charCodeAt(0) === 0x30) return undefined;
  let seconds = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    seconds = seconds * 10 + digit;
  }
  return seconds;
}

function judgeAge(seconds: number, now: number): Verification | undefined {
  const age = Math.floor(now / 1000) - seconds;
  if (age > TIMESTAMP_TOLERANCE) return REFUSED.stale;
  return age < -TIMESTAMP_TOLERANCE ? REFUSED.future : undefined;
}

/** Signatures of other versions may be anything that looks like one; ours has exactly one form. */
function isWellFormed(candidate: string): boolean {
  return isOurVersion(candidate) ? STANDARD.test(candidate) : SIGNATURE.test(candidate);
}

function isOurVersion(candidate: string): boolean {
  return candidate.startsWith('v1,');
}
