import type { FieldDigests } from '../api/input/field-digests.ts';
import type { FieldError } from '../api/input/field-error.ts';
import type { PartToBook, RowLook, RowToLookAt } from './batch.ts';
import type { CallbackRequest } from './callback.ts';
import type { BookingEnd, PurchaseFound, PurchaseToAudit } from './entities/account.ts';
import type { Claim, SubmitProof, Withdrawal, WithdrawalEnd } from './entities/claims.ts';
import type { ParkedGeneration } from './entities/credit-gate.ts';
import type { Ownership, TakenName, TaskName } from './entities/task-notices.ts';
import type { PlaceReport } from './finding.ts';
import type { PipelineResult, StepFailure } from './pipeline.ts';
import type { ParentRun } from './purchases/parent-run.ts';
import type {
  FoundThing,
  GenerationLook,
  LookedAt,
  PipelineLook,
  PipelineLookedAt,
  ReachedOutputs,
  Reusable,
  SaidOfStep,
  StepSurvey,
  StepsBought,
  StepsToBill,
  StepToReuse,
  StoredOutputUrl,
  ThingsToFind,
  Unusable,
} from './steps/step-look.ts';
import type { Plan, SubmitTaskInput, SubmitTaskResult } from './tasks/submit-task.ts';
import type { Judgement, LookRequest, TaskLook, TaskToJudge } from './tasks/task-look.ts';

/**
 * The activities by the names that histories know them by, with what goes in and comes out: workflows call them by
 * this, and the worker implements it.
 */
export interface DarkroomActivities {
  /** Of a request whose submit has told nothing, not even what its check came to. */
  checkGeneration: (request: unknown) => Promise<RequestCheck>;
  /** Of `batch`, whose request no other activity checks. */
  checkCallback: (callback: unknown) => Promise<FieldError[]>;
  /** Has a run's `callback` sent, once, by a workflow of its own. */
  startCallback: (request: CallbackRequest) => Promise<void>;
  /** Of `callback`. */
  sendCallback: (request: CallbackRequest) => Promise<void>;
  submitTask: (request: SubmitTaskInput) => Promise<SubmitTaskResult>;
  /** The same where nothing may be bought (`adoptOnly`): it may be tried again whatever becomes of a worker over it. */
  adoptTask: (request: SubmitTaskInput) => Promise<SubmitTaskResult>;
  /** A task of an earlier run that can be taken over, before a person is asked; null: there is none. */
  earlierTask: (request: SubmitTaskInput) => Promise<EarlierTask>;
  /** Whether a task is of use to the run that asks. */
  judgeTask: (task: TaskToJudge) => Promise<Judgement>;
  lookAtTask: (request: LookRequest) => Promise<TaskLook>;
  /** Of earlier runs of this workflow id; `earlierRun` as in the request. */
  accountedTasks: (earlier: EarlierRun) => Promise<string[]>;
  /** Of `generation`, with `unclaimed-tasks/<workspace>`. */
  requestClaim: (request: ClaimRequest) => Promise<ClaimPutIn>;
  withdrawClaim: (request: WithdrawalRequest) => Promise<WithdrawalEnd>;
  /** Of `generation`, with `credit-gate/<workspace>`. */
  enterCreditGate: (request: {
    workspace: string;
    entry: ParkedGeneration;
    freshFor?: number;
  }) => Promise<{ available?: number }>;
  leaveCreditGate: (request: { workspace: string; parkId: string }) => Promise<void>;
  /** `firstRunId`: of the pipeline; it differs from the current run's after a Reset. */
  checkPipeline: (request: unknown, firstRunId?: string, parent?: ParentRun) => Promise<PipelineCheck>;
  /** What there is of a step by now; with `wait` it is asked again and again while it runs, holding no slot. */
  lookAtGeneration: (look: GenerationLook) => Promise<LookedAt>;
  /**
   * Of a workflow that was retried: the run that its first attempt went on for, by continue-as-new or a cron schedule;
   * null where it was the first one.
   */
  roundOfAttempt: () => Promise<string | null>;
  /** A look at a pipeline that another workflow waits for. */
  lookAtPipeline: (look: PipelineLook) => Promise<PipelineLookedAt>;
  /** What earlier runs of a pipeline have started: path (or MAY_BE_MORE), what an item was started for. */
  surveySteps: (survey: StepSurvey) => Promise<[path: string, each: string | null][]>;
  /** What people have said of a step in earlier runs of the pipeline that asks, the first thing first. */
  saidOfStep: (question: { step: string }) => Promise<SaidOfStep[]>;
  /** Whether each of some things that a step would make is paid for. */
  surveyPaid: (things: ThingsToFind) => Promise<FoundThing[]>;
  /** Of `pipeline`, with earlier runs: what its generations have bought that none of these has told. */
  boughtSteps: (pipeline: StepsToBill) => Promise<StepsBought>;
  /** Where outputs can be reached by now, in their order. */
  reachOutputs: (outputs: StoredOutputUrl[]) => Promise<ReachedOutputs>;
  /** Asked again and again while an equal generation runs, holding no slot. */
  findReusable: (step: StepToReuse) => Promise<Exclude<Reusable, { kind: 'running' }> | Unusable | null>;
  /** Of `batch`: the rows of a page, as they were sent. */
  readRows: (page: { workflowId: string; workspace: string }) => Promise<unknown>;
  /** Of `batch`: when the last earlier run of it ended whose result has told what its rows were charged; null: none has. */
  accountedRows: (batch: { workflowId: string; runId: string }) => Promise<number | null>;
  /** Of `batch` and `pipeline`, with the account of a budget. `of`: the workflow whose budget it is; absent: the one that asks. */
  bookParts: (bookings: PartToBook[], of?: string) => Promise<BookingEnd[]>;
  /** Of `batch`: what there is of rows that an earlier run may have started, in their order. */
  surveyRows: (rows: Pick<RowToLookAt, 'workflowId' | 'digest'>[]) => Promise<RowLook[]>;
  /** Of `batch`: what there is of one; with `wait` it is asked again and again while it runs, holding no slot. */
  lookAtRow: (row: RowToLookAt) => Promise<RowLook>;
  /** Of `unclaimed-tasks/<workspace>`: who holds the tasks, by their ids. */
  surveyTasks: (survey: TaskSurvey) => Promise<Record<string, Ownership>>;
  /** Takes the names of tasks, before any is given away: whoever asks first has it, until the name that follows is taken. */
  takeTaskNames: (names: TaskName[]) => Promise<TakenName[]>;
  /** Which of the claims have lost their run. */
  checkClaims: (claims: ClaimRun[]) => Promise<ClaimCheck[]>;
  /** Says that a submit which was given up has been charged. */
  tellProof: (proof: ProofToTell) => Promise<{ taken: boolean }>;
  getBalance: (request: { workspace: string }) => Promise<BalanceReport>;
  /** Which of the runs have closed, by their places in the list. */
  closedRuns: (runs: RunToLookFor[]) => Promise<number[]>;
  /** Of `account/<scope>`: what there is of open purchases, in their order. */
  auditPurchases: (purchases: PurchaseToAudit[]) => Promise<PurchaseFound[]>;
  /** Whether the server has any run of that workflow id. */
  hasRuns: (workflowId: string) => Promise<boolean>;
  applySubmitRate: (rate: SubmitRate) => Promise<{ kind: 'applied' | 'unable' }>;
  /** Of `darkroomCheck`, on both task queues: what the worker that runs it can use. */
  checkPlace: () => Promise<PlaceReport>;
  /** Does nothing: that it runs shows that the queue lets it pass. */
  passSubmitQueue: () => Promise<void>;
}

/** Where a generation finds what it has bought before. */
export interface EarlierRun {
  /** As in the request. */
  earlierRun?: string | undefined;
  parent?: ParentRun | undefined;
}

/** `rerun` and `foreign` as in a submit's result; `more`: there is, or may be, what only a submit can take over. */
export interface EarlierTask {
  taskId: string | null;
  foreign?: true | undefined;
  more?: true | undefined;
  rerun?: true;
}

/**
 * What a generation needs to know of its request before it starts; the policy is the whole one, resolved. `plan`: by which
 * a request that is refused now may take over what it has bought before.
 */
export type RequestCheck =
  | ({ ok: true } & Plan)
  | { ok: false; errors: FieldError[]; plan?: Plan | undefined };

/**
 * `earlier`: there was an earlier run of it, and what that has bought. `ended`: an earlier run of it is deleted, and this is
 * how it ended.
 */
export type PipelineCheck =
  | { ok: true; earlier?: 'bought nothing' | 'may have bought'; ended?: PipelineEnd }
  | { ok: false; errors: FieldError[] };

export type PipelineEnd = { result: PipelineResult } | { failure: StepFailure };

/** The credits available to a workspace, or why they cannot be told. */
export type BalanceReport = { kind: 'balance'; available: number } | { kind: 'unavailable'; reason: string };

export interface RunToLookFor {
  workflowId: string;
  /** Null: the latest. */
  runId: string | null;
  /** Since when it is looked for, where it is started only then, in milliseconds since the epoch. */
  since?: number;
}

/** A claim as the workflow makes it: `fields` still by our names, and what the worker knows left out. */
export interface ClaimRequest {
  workspace: string;
  claim: Omit<Claim, 'shape'>;
}

/**
 * `entity`: the first run of the one that has taken the claim. Undefined: it is gone again. `runId`: of the run that has
 * put it in; a history that is replayed elsewhere does not tell it otherwise.
 */
export interface ClaimPutIn {
  entity?: string;
  runId?: string;
}

export interface WithdrawalRequest extends Withdrawal {
  workspace: string;
  /**
   * When the submit began, in milliseconds since the epoch, where another one is to follow: then the claim ends only if
   * all that came since then is still known.
   */
  submittedAt?: number;
  /** When an earlier run had put in a claim for the same submit: so there was somebody to remember it. */
  claimedAt?: number | undefined;
}

/** What a survey is asked: about few tasks at a time. */
export interface TaskSurvey {
  workspace: string;
  tasks: {
    taskId: string;
    arrivedAt: number;
    fields: FieldDigests;
    /** Nobody looks for it: it may prove what a submit has cost that was given up. */
    forProof?: true;
  }[];
  /**
   * Runs whose claims are in, by what they have sent: they hold none of the tasks. With the first runs of their
   * purchases: a claim may stand for a run whose place a Reset's run has taken.
   */
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
  /** As its claim says. */
  paidBy: string[] | undefined;
  proof: SubmitProof;
}

export interface SubmitRate {
  workspace: string;
  /** Submits a second; null: no limit. */
  rate: number | null;
  /** Why the limit is taken back: other workspaces got stuck behind it. */
  blocksOthers?: true;
}
