import type { SubmitProof } from '../../contract/entities/claims.ts';
import type { Attempt, Decision, GenerationRequest } from '../../contract/generation.ts';
import type { SentSeed } from '../../contract/tasks/sent-seed.ts';
import type { Plan } from '../../contract/tasks/submit-task.ts';
import type { Patience } from '../../policy/patience.ts';
import type { Policy } from '../../policy/policy.ts';
import type { ResetWatch } from '../reset-watch.ts';
import type { Stage, UnknownSubmit } from './stage.ts';

/** All that a run knows, as plain JSON: what continue-as-new carries. Times are milliseconds since the epoch. */
export interface State {
  readonly stage: Stage;
  /** From the answer to the first submit on. */
  readonly plan?: Plan | undefined;
  readonly attempts: readonly CountedAttempt[];
  /** When the unknown submits began that this run has resolved. */
  readonly resolvedUnknowns: readonly number[];
  /** The latest of the unknown submits that were given up, and when. */
  readonly gaveUp?: { readonly unknown: UnknownSubmit; readonly at: number } | undefined;
  /** Submits in a row of which nobody could tell. */
  readonly unknowns: number;
  /** Since when the run has been without credits. */
  readonly parkedSince?: number | undefined;
  /** Of the next submit, where it is not the request's; and of submits before it, of this run and of earlier ones. */
  readonly seed?: number | undefined;
  readonly otherSeeds: readonly SentSeed[];
  readonly evidence: Evidence;
  /** Tasks that people have had this run or earlier ones adopt in the place of their own: others have bought them. */
  readonly foreign?: readonly string[] | undefined;
  /** There are earlier runs of this workflow id. */
  readonly isRerun?: boolean | undefined;
  /** A submit has looked for all that earlier runs have bought. */
  readonly lookedBack?: true | undefined;
  /** It was Reset, and looks first for what earlier runs have got since: nobody is asked meanwhile. */
  readonly looksBack?: boolean | undefined;
  /** How many of the looks that people have asked for were made. */
  readonly looked: number;
  /** How many decisions were done, and what the latest has come to: it is refused, or has something to tell. */
  readonly decided: {
    readonly count: number;
    readonly refusal?: string | undefined;
    readonly note?: string | undefined;
  };
  readonly heard: Heard;
}

/** `claimId`: of one of unknown outcome, by which it may be proven yet what it has bought. */
type CountedAttempt = Attempt & { readonly claimId?: string };

/** A map as JSON, the latest entry last. */
type Entries<T> = readonly (readonly [key: string, value: T])[];

/** What came in from outside: messages add to it, and nothing else does. */
export interface Heard {
  /** Tasks whose ends were told, each with a number that grows with every event. */
  readonly ended: Entries<number>;
  /** Where the files of tasks are. */
  readonly artifacts: Entries<readonly string[]>;
  /** What granted tasks cost, by their events. */
  readonly prices: Entries<number>;
  /** Tasks by the claims that they were granted to, and what submits that were given up have bought. */
  readonly grants: Entries<string>;
  readonly proofs: Entries<SubmitProof>;
  /** How often something was looked at that may be the task of a submit that is looked for. */
  readonly begunLooks: number;
  /** Submits that were never sent, by `submitKey`. */
  readonly notSent: readonly string[];
  /** Parkings that the credit gate has released. */
  readonly released: readonly string[];
  /** Why the submit in flight is tried again and again. */
  readonly heldUp?: { readonly reason: string; readonly by?: 'budget' } | undefined;
  /** How many looks, and decisions, people have asked for. */
  readonly looks: number;
  readonly decisions: { readonly count: number; readonly latest?: HeardDecision | undefined };
}

/** `foreign`: the task to adopt is of another model or input. */
export interface HeardDecision extends Decision {
  readonly foreign?: true | undefined;
}

/** Tasks that may be the run's own: those that a claim's end has granted, and what looks at them have come to. */
export interface Evidence {
  readonly granted: readonly string[];
  readonly looks: Entries<'useless' | Unread>;
}

/** A task whose record tells nothing yet: when it is asked about again, in milliseconds since the epoch, and after what pause. */
export interface Unread {
  readonly nextAt: number;
  readonly pause: number;
  readonly missing?: Patience | undefined;
  readonly reason: string;
}

/** What does not change while a run goes on, and the run as it is now, with all that was heard meanwhile. */
export interface Run {
  /** What it shows is right; the rest is checked by the submit, so anything may be wrong with it. */
  readonly request: GenerationRequest;
  /** As it was started with. */
  readonly asked: unknown;
  readonly workspace: string;
  readonly workflowId: string;
  readonly firstRunId: string;
  readonly runId: string;
  /** Whether it is the child of a pipeline. */
  readonly isStep: boolean;
  readonly now: () => State;
  /** Whether it is to go on in a new run. */
  readonly isToContinue: () => boolean;
  readonly resets: ResetWatch;
  /** Whether a stage is to end its wait: the run is to go on in a new one, or was Reset. */
  readonly isInterrupted: () => boolean;
}

/** The plan, which is known to every stage but that of the first submit. */
export function planOf({ plan }: State): Plan {
  if (plan === undefined) throw new TypeError('the request was not checked yet');
  return plan;
}

export const policyOf = (state: State): Policy => planOf(state).policy;

/** Whether a task is looked at that may be the one, since the run was told that there is none: nobody is asked meanwhile. */
export const isLookedAt = ({ stage, heard }: State): boolean =>
  stage.at === 'ask' && 'search' in stage && heard.begunLooks > (stage.search.begunLooks ?? 0);

/** The same run, further on. */
export const at = (state: State, stage: Stage): State => ({ ...state, stage });

/** A state as a stage was given it, with all that was heard until now. */
export const withNews = (run: Run, state: State): State => ({ ...state, heard: run.now().heard });

/** The value of a key. */
export const valueOf = <T>(entries: Entries<T>, key: string): T | undefined =>
  entries.findLast(([one]) => one === key)?.[1];

/** Grows with each event that tells that a task has ended; 0: none has. */
export const newsOf = ({ ended }: Heard, taskId: string): number => valueOf(ended, taskId) ?? 0;

/** Of each kind so many are kept: anybody may send messages, and what is carried on has to fit into a payload. */
export const MOST_KEPT = 500;

/** The same with one more, as the latest of at most so many. */
export function put<T>(entries: Entries<T>, key: string, value: T, most = MOST_KEPT): Entries<T> {
  return [...entries.filter(([one]) => one !== key), [key, value] as const].slice(-most);
}
