import { describe, expect, it } from 'vitest';
import { CallbackUnverified, verifyCallback } from '../../src/client/verify-callback.ts';
import { signedHeaders } from '../../src/webhooks/signature/sign.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = 'whsec_cGFzc3dvcmQtb2YtdHdlbnR5LWZvdXItYnl0ZXM=';
const WORD = { type: 'generation.completed', workflowId: 'generation/1', runId: 'r', status: 'COMPLETED' };
const body = JSON.stringify(WORD);
const signed = (text = body, secrets = [SECRET], at = Date.now()) =>
  signedHeaders(secrets, { id: 'msg_1', body: text, at });
const reasonOf = (...asked: Parameters<typeof verifyCallback>): string => {
  try {
    verifyCallback(...asked);
  } catch (error) {
    if (error instanceof CallbackUnverified) return error.reason;
    throw error;
  }
  return 'verified';
};

describe('a callback', () => {
  it('is read where one of the secrets signs it, however body, headers and secrets come', () => {
    const read = { ...WORD, webhookId: 'msg_1' };
    expect(verifyCallback(body, signed(), SECRET)).toEqual(read);
    expect(verifyCallback(Buffer.from(body), new Headers(signed()), [OTHER, SECRET])).toEqual(read);
    expect(verifyCallback(body, signed(body, [OTHER]), ` ${SECRET}, ${OTHER},`)).toEqual(read);
    const lists = Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), [value]]);
    expect(verifyCallback(body, { 'X-None': undefined, ...Object.fromEntries(lists) }, SECRET)).toEqual(read);
  });

  it('is refused where none does, or where it is old', () => {
    expect(reasonOf(body, signed(), SECRET)).toBe('verified');
    expect(reasonOf(body, signed(body, [OTHER]), SECRET)).not.toBe('verified');
    expect(reasonOf(`${body} `, signed(), SECRET)).not.toBe('verified');
    expect(reasonOf(body, {}, SECRET)).not.toBe('verified');
    expect(reasonOf(body, signed(body, [SECRET], Date.now() - 301_000), SECRET)).not.toBe('verified');
    for (const none of [undefined, '', ' , ', []])
      expect(reasonOf(body, signed(), none)).not.toBe('verified');
  });

  it('is refused where its body is another one, with the reason in the message', () => {
    for (const wrong of ['no JSON', 'null', '[]', '"text"', '{}', JSON.stringify({ ...WORD, status: 7 })])
      expect(reasonOf(wrong, signed(wrong), SECRET)).toBe('its body is no callback');
    const { runId: _, ...short } = WORD;
    const text = JSON.stringify(short);
    expect(() => verifyCallback(text, signed(text), SECRET)).toThrow(
      'the callback is not verified: its body is no callback',
    );
  });

  it('is not judged by a secret that cannot be one', () => {
    expect(() => verifyCallback(body, signed(), 'whsec_c2hvcnQ=')).toThrow(/at least 24/);
  });
});
