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
  const headers = noSignatureHeaders();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const field = signatureField(rawHeaders[i] ?? '');
    if (field === undefined) continue;
    if (headers[field] !== undefined) return undefined;
    headers[field] = rawHeaders[i + 1];
  }
  return headers;
}

export function noSignatureHeaders(): SignatureHeaders {
  return {
    id: undefined,
    timestamp: undefined,
    signature: undefined,
    legacySignature: undefined,
    legacyTimestamp: undefined,
    legacyId: undefined,
    eventType: undefined,
  };
}

/** Where a header belongs, if it is one of them; names are compared without regard to case. */
export function signatureField(name: string): keyof SignatureHeaders | undefined {
  // They all begin with w or x, and hardly any other header does: most end here.
  const first = name.charCodeAt(0) | 0x20;
  if (first !== 0x77 && first !== 0x78) return undefined;
  switch (name.toLowerCase()) {
    case 'webhook-id':
      return 'id';
    case 'webhook-timestamp':
      return 'timestamp';
    case 'webhook-signature':
      return 'signature';
    case 'x-webhook-signature':
      return 'legacySignature';
    case 'x-webhook-timestamp':
      return 'legacyTimestamp';
    case 'x-webhook-event-id':
      return 'legacyId';
    case 'x-webhook-event-type':
      return 'eventType';
    default:
      return undefined;
  }
}
