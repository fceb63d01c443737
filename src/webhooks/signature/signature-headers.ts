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
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const field = signatureField(rawHeaders[i] ?? '');
    if (field === undefined) continue;
    if (headers[field] !== undefined) return undefined;
    headers[field] = rawHeaders[i + 1];
  }
  return headers;
}

/** Where each header belongs, by its name in small letters. */
const SIGNATURE_FIELDS: ReadonlyMap<string, keyof SignatureHeaders> = new Map([
  ['webhook-id', 'id'],
  ['webhook-timestamp', 'timestamp'],
  ['webhook-signature', 'signature'],
  ['x-webhook-signature', 'legacySignature'],
  ['x-webhook-timestamp', 'legacyTimestamp'],
  ['x-webhook-event-id', 'legacyId'],
  ['x-webhook-event-type', 'eventType'],
]);

function signatureField(name: string): keyof SignatureHeaders | undefined {
  // They all begin with w or x, and hardly any other header does: most end here.
  const first = name.charCodeAt(0) | 0x20;
  if (first !== 0x77 && first !== 0x78) return undefined;
  return SIGNATURE_FIELDS.get(name.toLowerCase());
}
