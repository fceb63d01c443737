import type { Usage } from '../api/usage.ts';
import type { Policy } from '../policy/policy.ts';
import type { BalanceReading } from './balance-watch.ts';

export interface SubmitTaskInput {
  model: string;
  input: Record<string, unknown>;
  workspace: string;
  submit: Policy['submit'];
  retries: Policy['retries'];
  vanished: Policy['vanished'];
  /** The first run's id: differs from the current run's after a Reset. */
  firstRunId: string;
  /** A run of this workflow id whose purchases are adopted, named by the caller. */
  earlierRun?: string;
  /** Tasks that this run already knows and is done with. */
  settledTaskIds: string[];
  /** Unknown submits of earlier runs from before this moment (ms since the epoch) were resolved already. */
  unknownResolvedAt: number;
}

export type SubmitTaskResult =
  | { kind: 'accepted'; taskId: string; usage: Usage; adopted: boolean }
  /** `since`: when the submit began, milliseconds since the epoch by the worker's clock. */
  | { kind: 'unknown'; reason: string; since: number; balance?: BalanceEvidence };

/** The balance around a submit whose outcome is unknown: others spend from it too, so it proves nothing alone. */
export interface BalanceEvidence {
  before?: BalanceReading;
  after?: BalanceReading;
}
