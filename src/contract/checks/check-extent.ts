import type { Mistake } from '../../api/input/mistakes.ts';
import { isNestedDeeper } from '../../api/json/nesting.ts';
import { jsonBytes } from '../json-bytes.ts';
import { DEEPEST_REQUEST, MOST_REQUEST_BYTES } from '../limits.ts';

/**
 * Whether a request is one that payloads can hold, beside what goes with it. To be asked before anything else walks
 * it: what is nested without bounds cannot even be measured.
 */
export function checkExtent(request: unknown): Mistake[] {
  if (isNestedDeeper(request, DEEPEST_REQUEST))
    return [{ path: 'request', message: `is nested deeper than ${DEEPEST_REQUEST} levels` }];
  const bytes = jsonBytes(request);
  if (bytes <= MOST_REQUEST_BYTES) return [];
  return [
    { path: 'request', message: `has ${bytes} bytes as JSON; at most ${MOST_REQUEST_BYTES} are taken` },
  ];
}
