import type { SubmitPaceState } from '../../contract/entities/submit-pace.ts';
import type { FleetPaceState, PaceSample, RateState } from '../../policy/pace/types.ts';
import { LONGEST_WORKSPACE, readEntity } from '../arguments/read-arguments.ts';
import {
  amount,
  flag,
  list,
  number,
  object,
  oneOf,
  optional,
  positive,
  table,
  text,
} from '../arguments/shapes.ts';

const sample = object<PaceSample>({ at: number, accepted: amount, refused: amount });

const rate = object<RateState>({
  known: positive,
  isFirst: flag,
  growsSince: number,
  loweredAt: number,
  floor: amount,
  recent: list(sample),
});

const pace = object<FleetPaceState>({
  pacedBy: oneOf('settling', 'queue', 'workers'),
  settlingSince: number,
  pausedUntil: number,
  rate,
  reporters: table(number),
  accepted: amount,
  refused: amount,
});

const state = object<SubmitPaceState>({ workspace: text(LONGEST_WORKSPACE), pace: optional(pace) });

/** A run's only argument. @throws INVALID_REQUEST */
export function readState(value: unknown): SubmitPaceState {
  return readEntity('submit-pace', value, state);
}
