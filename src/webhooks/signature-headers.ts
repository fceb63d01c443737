/** The headers of a delivery that its signature is about (API specification, Delivery request). */
export interface SignatureHeaders {
  id: string | undefined;
  timestamp: string | undefined;
  signature: string | undefined;
  legacySignature: string | undefined;
  legacyTimestamp: string | undefined;
  legacyId: string | undefined;
  eventType: string | undefined;
}

/** Where each header goes. The hot path looks by length first: most other headers end there. */
const FIELDS = {
  'webhook-id': 'id',
  'webhook-timestamp': 'timestamp',
  'webhook-signature': 'signature',
  'x-webhook-signature': 'legacySignature',
  'x-webhook-timestamp': 'legacyTimestamp',
  'x-webhook-event-id': 'legacyId',
  'x-webhook-event-type': 'eventType',
} as const satisfies Record<string, keyof SignatureHeaders>;

const LENGTHS = new Set(Object.keys(FIELDS).map((name) => name.length));

/**
 * Picks the signature headers out of Node's raw name-value pairs, which keep repeated headers apart.
 *
 * @returns undefined when one of them stands there twice
 */
export function readSignatureHeaders(rawHeaders: readonly string[]): SignatureHeaders | undefined {
  const headers: SignatureHeaders = {
    id: undefined,
    timestamp: undefined,
    signature: undefined,
    legacySignature: undefined,
    legacyTimestamp: undefined,
    legacyId: undefined,
    eventType: undefined,
  };
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (!LENGTHS.has(name.length)) continue;
    const field = fieldOf(name);
    if (field === undefined) continue;
    if (headers[field] !== undefined) return undefined;
    headers[field] = rawHeaders[i + 1];
  }
  return headers;
}

function fieldOf(name: string): keyof SignatureHeaders | undefined {
  const lower = name.toLowerCase();
  return Object.hasOwn(FIELDS, lower) ? FIELDS[lower as keyof typeof FIELDS] : undefined; // own, just checked
}
