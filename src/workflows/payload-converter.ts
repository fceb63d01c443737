import { defaultPayloadConverter, type Payload, type PayloadConverter } from '@temporalio/common';
import { wellFormedJson } from '../api/text/well-formed.ts';

/**
 * How workflows read what comes from outside. Anybody who can reach the namespace can send a message whose payload
 * cannot be read at all, and one that throws fails the workflow's task, again and again, for good: so it is read as
 * nothing, and whoever takes it checks it anyway. Texts are made well-formed here: a half of a surrogate pair in the id
 * or the failure that a workflow makes of one would stop its worker, and every other one that takes it over.
 */
export const payloadConverter: PayloadConverter = {
  toPayload: (value, context) => defaultPayloadConverter.toPayload(value, context),
  fromPayload: <T>(payload: Payload, context?: Parameters<PayloadConverter['fromPayload']>[1]): T => {
    try {
      const value = defaultPayloadConverter.fromPayload<T>(payload, context);
      // A text, like any other JSON, stays of its type.
      return mayHoldHalfPairs(payload) ? (wellFormedJson(value) as T) : value;
    } catch {
      return undefined as never; // the SDK's signature promises whatever the caller expects
    }
  },
};

const BACKSLASH = 0x5c;
const U = 0x75;
const D = 0x64;
/** Of a letter in ASCII. */
const UPPER_CASE = 0x20;
const JSON_ENCODING = 'json/plain';
const decoder = new TextDecoder();

/** Whether a payload is JSON with a `\ud…`: UTF-8 itself holds no half of a pair. */
function mayHoldHalfPairs({ metadata, data }: Payload): boolean {
  if (data == null || decoder.decode(metadata?.['encoding'] ?? undefined) !== JSON_ENCODING) return false;
  for (let at = data.indexOf(BACKSLASH); at >= 0; at = data.indexOf(BACKSLASH, at + 1))
    if (data[at + 1] === U && ((data[at + 2] ?? 0) | UPPER_CASE) === D) return true;
  return false;
}
