import { allHandlersFinished, CancellationScope } from '@temporalio/workflow';
import type { RequestCheck } from '../../contract/activities.ts';
import type { Attempt, GenerationRequest } from '../../contract/generation.ts';
import { goOn, isLong, isOutdated } from '../go-on.ts';
import type { Steps } from './generation.ts';
import type { HeldTask } from './run.ts';
import type { Storing } from './store.ts';
import type { UnknownSubmit } from './unknown-submit.ts';
import type { Waited } from './wait.ts';

/** Events after which a run goes on in a new one, whatever the server suggests. */
const MAX_HISTORY = 10_000;

/** Where a run goes on. Times in milliseconds since the epoch. */
export type Stage =
  /** `asking`: why a person is asked about a task that the API does not know any more. */
  | {
      kind: 'wait';
      task: HeldTask;
      deadlineAt: number;
      asking?: string | undefined;
      waited?: Waited | undefined;
    }
  | { kind: 'store'; task: HeldTask; storing: Storing }
  | {
      kind: 'buy';
      parkedSince?: number;
      /** How many submits in a row nobody could tell of. */
      unknowns?: number;
      /** The submit whose task is looked for. */
      lost?: { unknown: UnknownSubmit; search: Search };
    };

/** How far the search for the task of a lost submit has come. */
export type Search = KeptOfSearch &
  (
    | { kind: 'looking'; until: number; claims: number; lasting: number; asked: number }
    /** `about`: what is known of a task that may be the one; `pause`: before the claim was to be put in at `renewAt`. */
    | { kind: 'asking'; about?: string; pause: number; renewAt: number }
  );

/** `entity`: the one that has taken the claim first, by its first run. */
export interface KeptOfSearch {
  entity?: string;
}

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
  /** Where their files are, by what events have told. */
  artifacts?: [taskId: string, urls: string[]][];
  /** Tasks by the claims that they were granted to. */
  grants: [string, string][];
  /** Submits that were never sent. */
  notSent?: string[];
  /** The attempts of unknown outcome, by the ids of their claims. */
  doubts?: [claimId: string, index: number][];
  /** Which of them are proven, by their tasks. */
  proven?: [taskId: string, index: number][];
  /** Tasks of another model or input that people have had it adopt. */
  foreign?: string[];
  shownState?: string;
}

/**
 * Whether the run is to go on in a new one now: its history has become long or its version is to be replaced, and nobody
 * waits for an answer of it. Nor is one that is being cancelled: the next run would not know of it.
 *
 * @param mayMove whether it may wait for long; what has only a task to wait for ends with the version it was begun with
 */
export function isToContinue(mayMove = true): boolean {
  const isDue = isLong(MAX_HISTORY) || (mayMove && isOutdated());
  return isDue && allHandlersFinished() && !CancellationScope.current().consideredCancelled;
}

/**
 * Ends a run whose history has become long or whose version is to be replaced, and goes on in a new one from that stage. It does not wait for those who
 * wait for an answer: what they wait for may be the step behind this place. The next time will do as well.
 */
export async function continueIfDue(steps: Steps, stage: Stage): Promise<void> {
  const { run, inbox, plan } = steps;
  if (!isToContinue(stage.kind !== 'wait' || stage.asking !== undefined)) return;
  const { shownState } = run;
  await goOn<(request: GenerationRequest, carried: Carried) => Promise<unknown>>(run.request, {
    stage,
    check: plan.check,
    input: plan.input,
    attempts: run.attempts,
    resolvedUnknowns: run.resolvedUnknowns,
    ended: inbox.endedTasks,
    ...(inbox.artifacts.length === 0 ? {} : { artifacts: inbox.artifacts }),
    grants: [...inbox.grants],
    ...(inbox.notSent.size === 0 ? {} : { notSent: [...inbox.notSent] }),
    doubts: [...run.doubts],
    proven: [...run.proven],
    ...(run.foreign.size === 0 ? {} : { foreign: [...run.foreign] }),
    ...(shownState === undefined ? {} : { shownState }),
  });
}
