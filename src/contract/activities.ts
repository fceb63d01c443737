import type { Family } from '../api/family.ts';
import type { FieldDigests } from '../api/field-digests.ts';
import type { FieldError } from '../api/field-error.ts';
import type { Policy } from '../policy/policy.ts';
import type { BatchRow, RowLook, RowToLookAt } from './batch.ts';
import type { ParkedGeneration } from './credit-gate.ts';
import type { GenerationOutput, GenerationResult } from './generation.ts';
import type {
  FoundGeneration,
  GenerationLook,
  LookedAt,
  PipelineLook,
  PipelineLookedAt,
  ReachedOutputs,
  StepSurvey,
  StepToFind,
  StepToReuse,
  StoredOutputUrl,
} from './step-look.ts';
import type { SubmitTaskInput, SubmitTaskResult } from './submit-task.ts';
import type { LookRequest, StoreOutputsInput, TaskLook, TaskReport, TaskRequest } from './task-look.ts';
import type { PaidTask } from './told-tasks.ts';
import type { Claim, Ownership, SubmitProof, Withdrawal, WithdrawalEnd } from './unclaimed-tasks.ts';

/**
 * The activities by the names that histories know them by, with what goes in and comes out: workflows call them by
 * this, and the worker implements it.
 */
export interface DarkroomActivities {
  checkGeneration: (request: unknown) => Promise<RequestCheck>;
  submitTask: (request: SubmitTaskInput) => Promise<SubmitTaskResult>;
  /**
   * The same for a task that is created from a template, by a name of its own: a worker of release 0.1 that serves the
   * same queue knows `submitTask`, and would buy without the template. What it does not know it leaves to others.
   */
  submitFromTemplate: (request: SubmitTaskInput) => Promise<SubmitTaskResult>;
  /** The same where nothing may be bought (`adoptOnly`), by a name of its own for the same reason. */
  adoptTask: (request: SubmitTaskInput) => Promise<SubmitTaskResult>;
  getTask: (request: TaskRequest) => Promise<TaskReport>;
  lookAtTask: (request: LookRequest) => Promise<TaskLook>;
  /** Of earlier runs of this workflow id; `earlierRun` as in the request. */
  accountedTasks: (request: { earlierRun?: string }) => Promise<string[]>;
  /** Of runs that were started with release 0.1. */
  storeOutputs: (request: StoreOutputsInput) => Promise<GenerationOutput[]>;
  /** Of `generation`, with `unclaimed-tasks/<workspace>`. */
  requestClaim: (request: ClaimRequest) => Promise<void>;
  withdrawClaim: (request: { workspace: string } & Withdrawal) => Promise<WithdrawalEnd>;
  /** Of `generation`, with `credit-gate/<workspace>`. */
  enterCreditGate: (request: {
    workspace: string;
    entry: ParkedGeneration;
    freshFor?: number;
  }) => Promise<{ available?: number }>;
  leaveCreditGate: (request: { workspace: string; parkId: string }) => Promise<void>;
  /** `firstRunId`: of the pipeline; it differs from the current run's after a Reset. */
  checkPipeline: (request: unknown, firstRunId?: string) => Promise<PipelineCheck>;
  /** What there is of a step by now; with `wait` it is asked again and again while it runs, holding no slot. */
  lookAtGeneration: (look: GenerationLook) => Promise<LookedAt>;
  /** A look at a pipeline that another workflow waits for. */
  lookAtPipeline: (look: PipelineLook) => Promise<PipelineLookedAt>;
  /** What earlier runs of a pipeline have started: path, what an item was started for, what was paid for. */
  surveySteps: (survey: StepSurvey) => Promise<[path: string, each: string | null, tasks: PaidTask[]][]>;
  /** By path, when the last run of a pipeline ended whose result or failure has accounted for it. */
  accountedSteps: (pipeline: { workflowId: string; runId: string }) => Promise<Record<string, number>>;
  /** A look for pipelines that release 0.1 has started. */
  awaitGeneration: (step: StepToFind) => Promise<FoundGeneration>;
  /** Where outputs can be reached by now, in their order. */
  reachOutputs: (outputs: StoredOutputUrl[]) => Promise<ReachedOutputs>;
  findReusable: (step: StepToReuse) => Promise<{ workflowId: string; result: GenerationResult } | null>;
  /** Of `batch`: the rows of a page. */
  readRows: (page: { workflowId: string }) => Promise<BatchRow[]>;
  /** Of `batch`: what there is of rows that an earlier run may have started, in their order. */
  surveyRows: (rows: Omit<RowToLookAt, 'wait'>[]) => Promise<RowLook[]>;
  /** Of `batch`: what there is of one; with `wait` it is asked again and again while it runs, holding no slot. */
  lookAtRow: (row: RowToLookAt) => Promise<RowLook>;
  /** Of `unclaimed-tasks/<workspace>`: who holds the tasks, by their ids. */
  surveyTasks: (survey: TaskSurvey) => Promise<Record<string, Ownership>>;
  /** Which of the claims have lost their run. */
  checkClaims: (claims: ClaimRun[]) => Promise<ClaimCheck[]>;
  /** Says that a submit which was given up has been charged. */
  tellProof: (proof: ProofToTell) => Promise<void>;
  /** As release 0.1 has scheduled them: they find nothing, and are looked for anew. */
  surveyOwners: (survey: unknown) => Promise<Record<string, { kind: string }>>;
  closedClaims: (claims: unknown) => Promise<string[]>;
  getBalance: (request: { workspace: string }) => Promise<BalanceReport>;
  /** Which of the runs have closed, by their places in the list. */
  closedRuns: (runs: RunToLookFor[]) => Promise<number[]>;
  applySubmitRate: (rate: SubmitRate) => Promise<{ kind: 'applied' | 'unable' }>;
  /** Does nothing: that it runs shows that the queue lets it pass. */
  passSubmitQueue: () => Promise<void>;
}

/**
 * What a generation needs to know of its request before it starts; the policy is the whole one, resolved.
 * `revision` tells which commands the workflow's code is to make: a run goes on as it was begun, whatever it is
 * replayed with. Release 0.1 has recorded none. It costs no event of its own, as `patched()` would.
 */
export type RequestCheck =
  | { ok: true; family: Family; takesSeed: boolean; policy: Policy; revision?: number }
  | { ok: false; errors: FieldError[] };

/**
 * `revision` as above. `prose`: by model, the fields that say what is made and not how much of it; what a task costs
 * hangs on the others. `runsAgain`: steps of it may have been bought by an earlier run.
 */
export type PipelineCheck =
  | { ok: true; revision?: number; prose?: Record<string, string[]>; runsAgain?: true }
  | { ok: false; revision?: number; errors: FieldError[] };

/** The credits available to a workspace, or why they cannot be told. */
export type BalanceReport = { kind: 'balance'; available: number } | { kind: 'unavailable'; reason: string };

export interface RunToLookFor {
  workflowId: string;
  /** Null: the latest. */
  runId: string | null;
}

/** A claim as the workflow makes it: `fields` still by our names, and what the worker knows left out. */
export interface ClaimRequest {
  workspace: string;
  claim: Omit<Claim, 'shape' | 'clockOffset'>;
}

/** What a survey is asked: about few tasks at a time. */
export interface TaskSurvey {
  workspace: string;
  tasks: { taskId: string; arrivedAt: number; fields: FieldDigests }[];
  /** Workflows that look for one of the tasks: they hold none. */
  claimants: string[];
}

/** Where a claim comes from. */
export type ClaimRun = Pick<Claim, 'claimId' | 'workflowId' | 'firstRunId' | 'runId'>;

/** A claim whose run has closed; or whose place another run of the same purchase has taken: a Reset's. */
export interface ClaimCheck {
  claimId: string;
  run: { runId: string } | 'closed';
}

export interface ProofToTell {
  workspace: string;
  workflowId: string;
  firstRunId: string;
  model: string;
  proof: SubmitProof;
}

export interface SubmitRate {
  workspace: string;
  /** Submits a second; null: no limit. */
  rate: number | null;
  /** Why the limit is taken back: other workspaces got stuck behind it. */
  blocksOthers?: true;
}
