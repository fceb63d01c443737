import type { Family } from '../api/family.ts';
import type { FieldDigests } from '../api/field-digests.ts';
import type { FieldError } from '../api/field-error.ts';
import type { QueueState } from '../api/generation-record.ts';
import type { OutputAsset } from '../api/output-assets.ts';
import type { Usage } from '../api/usage.ts';
import type { Policy } from '../policy/policy.ts';
import type { BatchRow, RowLook, RowToLookAt } from './batch.ts';
import type { ParkedGeneration } from './credit-gate.ts';
import type { GenerationOutput, GenerationResult, Ordered, WhyNothing } from './generation.ts';
import type { Origins } from './origins.ts';
import type { PipelineRequest, PipelineResult, StepFailure } from './pipeline.ts';
import type { PaidTask } from './told-tasks.ts';
import type { Claim, Ownership, SubmitProof, Withdrawal, WithdrawalEnd } from './unclaimed-tasks.ts';

/** The activities that buy a task, by their names. */
export const SUBMITS: ReadonlySet<string> = new Set<keyof DarkroomActivities>([
  'submitTask',
  'submitFromTemplate',
]);

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

/** An output that a step is to use. */
export interface StoredOutputUrl {
  url: string;
  /** Its stored copy's URI; undefined where nobody knows it. */
  stored?: string | undefined;
}

/** `message`: which one cannot be reached, and what to do. */
export type ReachedOutputs = { ok: true; urls: string[] } | { ok: false; message: string };

export interface SubmitTaskInput extends Ordered {
  workspace: string;
  submit: Policy['submit'];
  retries: Policy['retries'];
  vanished: Policy['vanished'];
  /** The first run's id: differs from the current run's after a Reset. */
  firstRunId: string;
  /** A run of this workflow id whose purchases are adopted, named by the caller. */
  earlierRun?: string;
  /** As in the request. */
  adoptOnly?: WhyNothing;
  /** Tasks that this run already knows and is done with. */
  settledTaskIds: string[];
  /** When the unknown submits began that this run has resolved already, in milliseconds since the epoch. */
  resolvedUnknowns?: number[];
}

/**
 * `rerun`: there are earlier runs of this workflow id. It is recorded, because a history that is replayed elsewhere does
 * not tell the id of the run that it belongs to.
 */
export type SubmitTaskResult =
  | { kind: 'accepted'; taskId: string; usage: Usage; adopted: boolean; rerun?: true }
  /** `since`: when the submit began, milliseconds since the epoch by the worker's clock. */
  | { kind: 'unknown'; reason: string; since: number; balance?: BalanceEvidence; rerun?: true };

/** The balance around a submit whose outcome is unknown: others spend from it too, so it proves nothing alone. */
export interface BalanceEvidence {
  before?: BalanceReading;
  after?: BalanceReading;
}

/** Credits available to a workspace, and when that was read (milliseconds since the epoch). */
export interface BalanceReading {
  available: number;
  at: number;
}

/** First detail of the failure that a rejected submit throws. */
export interface RejectionDetails {
  code: string;
  message: string;
  errors?: FieldError[];
  /** The balance right after a refusal for lack of credits, where it could be read. */
  available?: number;
}

/** What one GET told about a task. The record's `input` is left out: the workflow has sent it. */
export type TaskReport =
  | {
      kind: 'record';
      status: QueueState;
      data: unknown;
      usage: Usage;
      code: string | null;
      message: string | null;
      /** Whether the task is of the input that was asked about; only where one was. */
      isAsSent?: boolean;
    }
  | { kind: 'not-found' }
  | { kind: 'unavailable'; code: string; reason: string; retryAfter?: number };

export interface TaskRequest {
  taskId: string;
  workspace: string;
  /** What a submit sent, as digests by our field names: the report then tells whether the task is of that input. */
  sent?: { model: string; fields: FieldDigests };
}

export interface LookRequest {
  taskId: string;
  workspace: string;
  model: string;
  /** The first run's id: differs from the current run's after a Reset. */
  firstRunId: string;
  /** Milliseconds that the GET may take. */
  timeout: number;
  /** Milliseconds that storing a completed task's files may take; 0: they are not touched; absent: as long as it takes. */
  storeWithin?: number;
}

/** What the heartbeat of a look says from when it touches a completed task's files. */
export const AT_FILES = 'at the files';

/**
 * What one look at a task told; the files of a completed one were stored on the way. `rerun`: as a submit's result
 * says it.
 */
export type TaskLook = { rerun?: true } & (
  | { kind: 'open'; usage: Usage }
  | { kind: 'completed'; usage: Usage; files: StoreReport }
  | {
      kind: 'ended';
      status: 'FAILED' | 'CANCELED';
      usage: Usage;
      code: string | null;
      message: string | null;
    }
  /** `everything`: other tasks of the workspace, which were there, are unknown as well. */
  | { kind: 'not-found'; everything?: true }
  | { kind: 'unavailable'; code: string; reason: string; retryAfter?: number }
);

/** What became of a task's files, in one try: all of them are stored, or what keeps one from being. */
export type StoreTaskReport = { kind: 'stored'; outputs: GenerationOutput[] } | StoreTrouble;

/** Why a task's files are not all stored. Those that are will be found again by the next try. */
export interface StoreTrouble {
  /**
   * `refused`: by rule, for good: a private address, another scheme, too large, too many, none at all. `gone`: 410, so
   * only a fresh record may have another URL. `delayed`: not there yet or not now (any other status, the network, a torn
   * body, an error page in its place), or the store is away: worth trying for hours.
   */
  kind: 'refused' | 'gone' | 'delayed';
  /** A sentence for people, without secrets. */
  reason: string;
  /** The file's URL without its query: that of a signed one is a secret. Null where it is not about one file. */
  url: string | null;
  /** The HTTP status that the file's server answered with. */
  status?: number;
  /** Milliseconds that it asked to wait for. */
  retryAfter?: number;
  /** Set where the worker had no place for it: that is no try, and says nothing of the files. */
  untried?: true;
}

/** The same, with the record's own `data`; one that is too large was stored, and is at `dataUri`. */
export type StoreReport =
  | (Extract<StoreTaskReport, { kind: 'stored' }> & { data: unknown; dataUri?: string })
  | Exclude<StoreTaskReport, { kind: 'stored' }>;

export interface StoreOutputsInput {
  taskId: string;
  workspace: string;
  assets: OutputAsset[];
}

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

/** What `awaitGeneration` found. */
export type FoundGeneration =
  | { kind: 'completed'; result: GenerationResult }
  | { kind: 'failed'; runId: string }
  /** It was started with another model or input, so its result is not this step's. */
  | { kind: 'different' };

/** A step of a pipeline as the generation that it would be. */
export interface StepToFind extends Ordered {
  workflowId: string;
  /** `default` when undefined. */
  workspace: string | undefined;
  /** What the URLs in the input are, where they are outputs of other steps. */
  origins?: Origins;
}

/** A look at the generation of a step. */
export interface GenerationLook extends StepToFind {
  /** Whether the answer can wait for the generation's end. */
  wait: boolean;
  /** Takes the generation for the step's, whatever it was started with: that has been looked at before. */
  asItIs?: true;
  /** Whether anybody wants to know what it has cost. */
  costs?: boolean;
}

/** A look at a pipeline that a workflow of somebody's own has asked for. */
export interface PipelineLook {
  workflowId: string;
  request: PipelineRequest;
  /** Whether the answer can wait for the pipeline's end. */
  wait: boolean;
}

export type PipelineLookedAt =
  | { kind: 'missing' }
  /** The paths in which it was started with something else. */
  | { kind: 'different'; differences: string[] }
  | { kind: 'running' }
  | { kind: 'completed'; result: PipelineResult }
  | { kind: 'failed'; failure: StepFailure };

/** Which generations of a pipeline there may be. */
export interface StepSurvey {
  pipelineId: string;
  steps: { name: string; isFannedOut: boolean }[];
  /** Whether anybody wants to know what each has cost. */
  costs: boolean;
}

export type LookedAt =
  | { kind: 'missing' }
  /** It was started with another model, input or workspace, so its result is not this step's. */
  | { kind: 'different'; isRunning: boolean; tasks?: PaidTask[] }
  /** `state`: the value of its `DarkroomState`. */
  | ({ kind: 'running'; state?: string } & Started)
  | ({ kind: 'completed'; result: GenerationResult } & Ended)
  | ({ kind: 'failed'; failure: StepFailure } & Ended);

interface Started {
  runId: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /**
   * Set where the generation was started for the same step with other outputs of the steps that it refers to: what it
   * was started with.
   */
  other?: { input: Record<string, unknown>; origins: Origins };
}

interface Ended extends Started {
  /** What it has paid for, with the runs that it was to adopt from, where that was asked for. */
  tasks?: PaidTask[];
}

/** A step as an earlier pipeline may have bought it. */
export interface StepToReuse extends Ordered {
  pipelineId: string;
  /** Below the pipeline's id: `<step>` or `<step>/<index>`. */
  path: string;
  /** `default` when undefined. */
  workspace: string | undefined;
  origins?: Origins;
}
