import { wellFormed } from '../text/well-formed.ts';
import { cleanJson, type JsonBounds } from './clean-json.ts';

/** No record that the API specification shows goes deeper than ten levels, or has more than some hundred values. */
const BOUNDS: JsonBounds = { depth: 100, values: 200_000 };

/**
 * What a stranger's text says as JSON, with well-formed texts and within bounds; undefined where it is none (JSON itself
 * cannot say undefined).
 *
 * @param redact takes out of every text what must not be passed on
 */
export function parseJson(text: string, redact: (text: string) => string = (it) => it): unknown {
  try {
    return cleanJson(JSON.parse(text), (it) => redact(wellFormed(it)), BOUNDS);
  } catch {
    return undefined;
  }
}
