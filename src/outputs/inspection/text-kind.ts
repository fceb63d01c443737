export type TextKind = 'html' | 'svg' | 'xml' | 'json' | 'text';

/** Bytes that no text has: control characters besides tab, line feed, form feed, carriage return and escape. */
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const BINARY = /[\0-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/** What kind of text a file begins as; undefined where it is no UTF-8 text. */
export function textKind(head: Uint8Array): TextKind | undefined {
  const text = decode(head);
  if (text === undefined || BINARY.test(text)) return undefined;
  const start = text.replace(/^(?:\s|<!--[\s\S]*?-->)+/, '').toLowerCase();
  if (/^<(?:!doctype html|html|head|body|title|script|meta)\b/.test(start)) return 'html';
  if (/^<svg\b/.test(start) || (/^<(?:\?xml|!doctype svg)\b/.test(start) && /<svg\b/.test(start)))
    return 'svg';
  if (/^<\?xml\b/.test(start) && /<html\b/.test(start)) return 'html';
  if (/^<[?!a-z]/.test(start)) return 'xml';
  return /^(?:\{\s*["}]|\[\s*(?:["[{\]\d-]|true|false|null))/.test(start) ? 'json' : 'text';
}

/** UTF-8 that may be cut within its last character. */
function decode(head: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
  } catch {
    return undefined;
  }
}
