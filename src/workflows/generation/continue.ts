import { allHandlersFinished, condition, continueAsNew, workflowInfo } from '@temporalio/workflow';
import type { RequestCheck } from '../../contract/activities.ts';
import type { Attempt, GenerationRequest } from '../../contract/generation.ts';
import type { Steps } from './generation.ts';
import type { HeldTask } from './run.ts';
import type { Storing } from './store.ts';

/** Events after which a run goes on in a new one, whatever the server suggests: it ends a run with 51,200. */
const MAX_HISTORY = 10_000;

/** Where a run goes on. Times in milliseconds since the epoch. */
export type Stage =
  | { kind: 'wait'; task: HeldTask; deadlineAt: number }
  | { kind: 'store'; task: HeldTask; storing: Storing }
  | { kind: 'buy'; parkedSince?: number };

/** What a run hands on to the one that goes on in its place. */
export interface Carried {
  stage: Stage;
  check: Extract<RequestCheck, { ok: true }>;
  /** As the next submit sends it. */
  input: Record<string, unknown>;
  attempts: Attempt[];
  resolvedUnknowns: number[];
  /** Tasks whose ends it was told of. */
  ended: string[];
  /** Tasks by the claims that they were granted to. */
  grants: [string, string][];
  /** The attempts of unknown outcome, by the ids of their claims. */
  doubts?: [claimId: string, index: number][];
  shownState?: string;
}

/**
 * Ends a run whose history has become long, and goes on in a new one from that stage. Does nothing to one of release
 * 0.1, whose history may have grown past this place.
 */
export async function continueIfLong(steps: Steps, stage: Stage): Promise<void> {
  const { run, inbox, plan } = steps;
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  if (plan.revision === 1 || !(continueAsNewSuggested || historyLength > MAX_HISTORY)) return;
  await condition(allHandlersFinished);
  const { shownState } = run;
  await continueAsNew<(request: GenerationRequest, carried: Carried) => Promise<unknown>>(run.request, {
    stage,
    check: plan.check,
    input: plan.input,
    attempts: run.attempts,
    resolvedUnknowns: run.resolvedUnknowns,
    ended: inbox.endedTasks,
    grants: [...inbox.grants],
    doubts: [...run.doubts],
    ...(shownState === undefined ? {} : { shownState }),
  });
}
