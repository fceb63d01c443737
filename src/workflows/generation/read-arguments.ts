import { isRecord } from '../../api/json/is-record.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import { LONGEST_WORKSPACE, readHandedOn } from '../arguments/read-arguments.ts';
import { list, object, oneOf, optional, record, type Shape, text } from '../arguments/shapes.ts';
import type { Stage, State } from './state.ts';

const LONGEST_MODEL = 100;

/** What a run shows of its request before it is checked. */
const shown = object<Pick<GenerationRequest, 'model' | 'workspace'>>({
  model: text(LONGEST_MODEL),
  workspace: optional(text(LONGEST_WORKSPACE)),
});

/**
 * The request as far as it can be shown to people. The worker checks it whole; until it has, anything may be wrong with
 * it.
 */
export function readRequest(value: unknown): GenerationRequest {
  if (!isRecord(value) || !shown(value)) return { model: '', input: {} };
  return value as unknown as GenerationRequest; // what it shows is right; the check tells what else is
}

/** Its inside is its own: a run of ours has written it, and nobody else gets this far. */
const own = <T>(shape: Shape<unknown>): Shape<T> => shape as Shape<T>;

const state = own<State>(
  object({
    stage: object<Pick<Stage, 'at'>>({
      at: oneOf('submit', 'park', 'reconcile', 'ask', 'wait', 'store'),
    }),
    attempts: list(record),
    heard: record,
  }),
);

/** What the run before this one has handed on. @throws INVALID_REQUEST */
export function readCarried(value: unknown): State | undefined {
  return readHandedOn(value, state);
}
