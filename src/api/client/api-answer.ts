import { cleanJson } from '../json/clean-json.ts';
import { isRecord } from '../json/is-record.ts';
import { parseJson } from '../json/parse-json.ts';
import type { Caller } from './caller.ts';
import type { HttpAnswer } from './http-exchange.ts';
import { withoutHeaders, withoutKey } from './without-secrets.ts';

/** An answer as it leaves this client: bounded, its texts well-formed and without the secrets that it may repeat. */
export interface ApiAnswer extends Pick<HttpAnswer, 'status' | 'headers'> {
  /** Undefined where the answer is no JSON. */
  body: unknown;
}

/** Reads an answer; the only place where what the API says comes in. */
export function readAnswer({ status, headers, text }: HttpAnswer, caller: Caller): ApiAnswer {
  return {
    status,
    headers,
    body: withWordsCleaned(parseJson(text, withoutKey(caller)), withoutHeaders(caller)),
  };
}

/** A record's `input` and `data` stay as they are: they are compared with what was sent, and handed on as the result. */
function withWordsCleaned(body: unknown, clean: (text: string) => string): unknown {
  if (!isRecord(body)) return cleanJson(body, clean);
  const { input, data, ...words } = body;
  const kept = Object.entries({ input, data }).filter(([, value]) => value !== undefined);
  return { ...(cleanJson(words, clean) as object), ...Object.fromEntries(kept) };
}
