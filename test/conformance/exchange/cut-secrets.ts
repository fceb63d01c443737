import { isRecord } from '../../../src/api/json/is-record.ts';

const CUT = '<cut>';

/** Names of fields whose values are nobody else's business, wherever they stand. */
const PRIVATE = /^(email|avatar|owner|logs|token|secret|api_?key|authorization|password|cookie)$/i;

/** Of the headers of an answer, those that say something of the API; no other one is kept. */
const HEADERS = ['allow', 'content-type', 'date', 'retry-after'];

/**
 * A value without secrets: nowhere in it the key, in whatever text it stands; no query or password of a URL, because
 * that of a signed one is a secret; no e-mail address; and nothing of fields that hold personal data or keys.
 */
export function withoutSecrets(value: unknown, key: string): unknown {
  if (typeof value === 'string') return withoutSignature(value.replaceAll(key, CUT));
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, key));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      String(withoutSecrets(name, key)),
      PRIVATE.test(name) ? cut(inner) : withoutSecrets(inner, key),
    ]),
  );
}

/** What is left of a value that is nobody's business: its shape, so that it can be compared. */
function cut(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cut);
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cut(inner)]));
  if (typeof value === 'number') return 0;
  if (typeof value !== 'string') return value;
  return URL.canParse(value) ? 'https://cut.invalid/' : CUT;
}

/** The headers that are kept, without secrets. */
export function keptHeaders(headers: Headers, key: string): Record<string, string> {
  const kept = HEADERS.flatMap((name): [string, string][] => {
    const value = headers.get(name);
    return value === null ? [] : [[name, String(withoutSecrets(value, key))]];
  });
  return Object.fromEntries(kept);
}

/** A text without e-mail addresses; every URL in it without user, query and fragment. */
function withoutSignature(text: string): string {
  return text
    .replaceAll(/(https?:\/\/)[^\s/?#@"]*@/gi, `$1`)
    .replaceAll(/(https?:\/\/[^\s?#"]*)[?#][^\s"]*/gi, `$1?${CUT}`)
    .replaceAll(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, CUT);
}
