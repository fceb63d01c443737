import { decode } from '../../temporal/history.ts';

/** The first value of a payload; undefined where it is not to be read: anybody may send a workflow anything. */
export function firstValue(payloads: Parameters<typeof decode>[0]): unknown {
  try {
    return decode(payloads)[0];
  } catch {
    return undefined;
  }
}
