import type { FleetPaceState } from '../../policy/pace/types.ts';

/** The argument of `submitPace`: the rest is carried over by continue-as-new. */
export interface SubmitPaceState {
  workspace: string;
  pace?: FleetPaceState;
}
