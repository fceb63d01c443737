import type { CreditGateState, GateEntry, LookPace } from '../../contract/entities/credit-gate.ts';
import { LONGEST_WORKSPACE, readEntity } from '../arguments/read-arguments.ts';
import {
  amount,
  list,
  number,
  object,
  oneOf,
  optional,
  orNull,
  positive,
  text,
  tuple,
} from '../arguments/shapes.ts';

const id = text(1_000);

const entry = tuple<GateEntry>(id, id, orNull(id), number, orNull(number), orNull(number), oneOf(0, 1));

const state = object<CreditGateState>({
  workspace: text(LONGEST_WORKSPACE),
  entries: optional(list(entry)),
  pace: optional(object<LookPace>({ initial: positive, factor: positive, max: amount })),
});

/** A run's only argument. @throws INVALID_REQUEST */
export function readState(value: unknown): CreditGateState {
  return readEntity('credit-gate', value, state);
}
