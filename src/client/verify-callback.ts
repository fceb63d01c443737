import { isRecord } from '../api/json/is-record.ts';
import { parseJson } from '../api/json/parse-json.ts';
import type { CallbackWord } from '../contract/callback.ts';
import { parseSecret } from '../webhooks/signature/secrets.ts';
import { readSignatureHeaders } from '../webhooks/signature/signature-headers.ts';
import { verify } from '../webhooks/signature/verify.ts';

/** What a callback says, with its id: the same for each time that it is sent. */
export interface Callback extends CallbackWord {
  webhookId: string;
}

/** Not a callback of ours, or not one of now: `reason` says why. Answer it with 401. */
export class CallbackUnverified extends Error {
  override readonly name = 'CallbackUnverified';
  readonly reason: string;

  constructor(reason: string) {
    super(`the callback is not verified: ${reason}`);
    this.reason = reason;
  }
}

/** As frameworks hand them over. */
type HeadersLike = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Reads a callback, if it is signed by one of the secrets and not older than five minutes.
 *
 * ```ts
 * app.post('/done', express.raw({ type: 'application/json' }), (request, response) => {
 *   const { type, workflowId } = verifyCallback(request.body, request.headers, process.env.DARKROOM_CALLBACK_SECRET);
 * ```
 *
 * @param body as it came: raw, not parsed
 * @param secrets the worker's DARKROOM_CALLBACK_SECRET
 * @throws CallbackUnverified; UnusableSecretError for a secret that is none
 */
export function verifyCallback(
  body: string | Uint8Array,
  headers: HeadersLike,
  secrets: string | readonly string[] | undefined,
): Callback {
  const texts = [secrets ?? []].flat().flatMap((text) => text.split(','));
  const keys = texts.filter((text) => text.trim() !== '').map((text) => parseSecret(text.trim()));
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const judged = verify(readSignatureHeaders(rawOf(headers)), bytes, keys, Date.now(), {
    legacy: 'refuse',
    legacyHeaders: 'ignore',
  });
  if (!judged.ok) throw new CallbackUnverified(judged.reason);
  const word = parseJson(Buffer.from(bytes).toString('utf8'));
  if (!isWord(word)) throw new CallbackUnverified('its body is no callback');
  return { ...word, webhookId: judged.webhookId };
}

function rawOf(headers: HeadersLike): string[] {
  const pairs = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return pairs.flatMap(([name, value]) => [value ?? []].flat().flatMap((one) => [name, one]));
}

function isWord(value: unknown): value is CallbackWord {
  if (!isRecord(value)) return false;
  return ['type', 'workflowId', 'runId', 'status'].every((name) => typeof value[name] === 'string');
}
