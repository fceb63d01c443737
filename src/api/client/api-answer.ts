import { parseJson } from '../json/parse-json.ts';
import type { Caller } from './caller.ts';
import type { HttpAnswer } from './http-exchange.ts';
import { withoutSecrets } from './without-secrets.ts';

/** An answer as it leaves this client: bounded, its texts well-formed and without the secrets that it may repeat. */
export interface ApiAnswer extends Pick<HttpAnswer, 'status' | 'headers'> {
  /** Undefined where the answer is no JSON. */
  body: unknown;
}

/** Reads an answer; the only place where what the API says comes in. */
export function readAnswer({ status, headers, text }: HttpAnswer, caller: Caller): ApiAnswer {
  return { status, headers, body: parseJson(text, withoutSecrets(caller)) };
}
