import type { HttpAnswer } from './http-exchange.ts';

/** Shorter ones stand in other words, too; no service gives out such keys. */
const SHORTEST = 8;

/**
 * An answer that may be passed on: some APIs repeat the key that they refuse, and a refusal's words end up in logs,
 * errors and workflow histories.
 */
export function withoutKey(answer: HttpAnswer, apiKey: string): HttpAnswer {
  if (answer.status < 300 || apiKey.length < SHORTEST || !answer.text.includes(apiKey)) return answer;
  return { ...answer, text: answer.text.replaceAll(apiKey, '<the API key>') };
}
