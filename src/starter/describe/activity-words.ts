import { isRecord } from '../../api/json/is-record.ts';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { WithdrawalEnd } from '../../contract/entities/claims.ts';
import type { GenerationOutput } from '../../contract/generation.ts';
import type { SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import type { Judgement, TaskLook } from '../../contract/tasks/task-look.ts';
import { formatBytes } from '../../terminal/units.ts';

/** How an activity ended: with what it returned, or with a failure. */
export type ActivityEnd = { result: unknown } | { failure: { type: string; message: string } };

/** What an activity is told by in the timeline of its run; what is absent is worth no line. */
interface Words<Result> {
  /** Its beginning: of what costs, or takes long. */
  begins?: string;
  /** What its result means; undefined: nothing that is worth a line. */
  ends?: (result: Result) => string | undefined;
  /** What it is called where it has failed. */
  fails?: string;
}

/** Every activity has a row, so that nobody forgets what a new one means. */
const WORDS: { readonly [Name in keyof DarkroomActivities]: Words<ResultOf<Name>> } = {
  checkGeneration: { ends: describeCheck },
  checkPipeline: { ends: describeCheck },
  submitTask: { begins: 'submits to the API', ends: describeSubmit, fails: 'the submit failed' },
  adoptTask: { begins: 'takes over what was bought', ends: describeSubmit, fails: 'nothing was taken over' },
  earlierTask: { ends: ({ taskId }) => (taskId === null ? undefined : `an earlier run has task ${taskId}`) },
  judgeTask: { ends: describeJudgement },
  lookAtTask: { ends: describeLook, fails: 'the look at the task failed' },
  requestClaim: { begins: 'looks for the task of the lost answer', fails: 'it cannot be looked for' },
  withdrawClaim: { ends: describeWithdrawal },
  findReusable: { ends: describeReusable },
  sendCallback: { begins: 'calls back', fails: 'the callback was not taken' },
  accountedTasks: {},
  accountedRows: {},
  applySubmitRate: {},
  auditPurchases: {},
  bookParts: {},
  boughtSteps: {},
  checkCallback: {},
  checkClaims: {},
  closedRuns: {},
  enterCreditGate: {},
  getBalance: {},
  saidOfStep: {},
  hasRuns: {},
  leaveCreditGate: {},
  lookAtGeneration: {},
  lookAtPipeline: {},
  lookAtRow: {},
  checkPlace: {},
  passSubmitQueue: {},
  reachOutputs: {},
  readRows: {},
  roundOfAttempt: {},
  startCallback: {},
  surveyRows: {},
  surveyPaid: {},
  surveySteps: {},
  surveyTasks: {},
  takeTaskNames: {},
  tellProof: {},
};

type ResultOf<Name extends keyof DarkroomActivities> = Awaited<ReturnType<DarkroomActivities[Name]>>;

/** A history may be of another version, or of anybody's own activities. */
function wordsOf(name: string): Words<unknown> {
  return Object.hasOwn(WORDS, name) ? (WORDS[name as keyof DarkroomActivities] as Words<unknown>) : {}; // looked up; the result goes with the name
}

export function describeActivityStart(name: string): string | undefined {
  return wordsOf(name).begins;
}

/** @param tries how often Temporal had it tried */
export function describeActivityEnd(name: string, tries: number, end: ActivityEnd): string | undefined {
  const { ends, fails = `${name} failed` } = wordsOf(name);
  const tried = tries === 1 ? '' : ` (try ${tries})`;
  if ('failure' in end) {
    const { type, message } = end.failure;
    return `${fails}${tried}: ${type === '' ? '' : `${type}: `}${message}`;
  }
  if (end.result === undefined || end.result === null) return undefined;
  const said = ends?.(end.result);
  return said === undefined ? undefined : `${said}${tried}`;
}

function describeReusable(found: ResultOf<'findReusable'>): string | undefined {
  if (found === null) return undefined;
  if (found.kind === 'unusable') return `nothing is bought: ${found.message}`;
  return found.kind === 'completed'
    ? `a step is taken over from ${found.workflowId}`
    : `${found.workflowId} may hold a task`;
}

function describeCheck(result: unknown): string | undefined {
  return isRecord(result) && result['ok'] === false ? 'the request is refused' : undefined;
}

function describeSubmit(result: SubmitTaskResult): string {
  if (result.kind === 'unknown') return `the answer got lost: ${result.reason}`;
  if (result.kind === 'forgotten') return `nothing was sent: ${result.reason}`;
  if (result.kind === 'checked') return 'the request is right';
  if (result.kind === 'completed') return `took over the result of task ${result.result.taskId}`;
  const { taskId, usage, adopted } = result;
  return adopted ? `took over task ${taskId}` : `task ${taskId} accepted, ${usage.total} credits`;
}

/** Polls are told of only where they find an end, or trouble; a completed task's files are stored on the way. */
function describeLook(look: TaskLook): string | undefined {
  if (look.kind === 'open') return undefined;
  if (look.kind === 'not-found') return 'poll: the API does not know the task';
  if (look.kind === 'unavailable') return `poll: cannot read the record: ${look.reason}`;
  if (look.kind === 'ended') return describeVainEnd(look);
  const { files } = look;
  if (files.kind === 'stored') return `${COMPLETED}, ${describeFiles(files.outputs)}`;
  return `${COMPLETED}, its files are ${files.kind === 'delayed' ? 'not stored yet' : files.kind}: ${files.reason}`;
}

/** Of a task that the run was told of. */
function describeJudgement(told: Judgement): string | undefined {
  return told.kind === 'again' ? `cannot tell yet whether a task is its own: ${told.reason}` : undefined;
}

const COMPLETED = 'the task has completed';

function describeVainEnd({ status, code, message }: Extract<TaskLook, { kind: 'ended' }>): string {
  const why = [code ?? [], message ?? []].flat().join(': ');
  return `the task ended as ${status}${why === '' ? '' : `: ${why}`}`;
}

function describeFiles(outputs: readonly GenerationOutput[]): string | undefined {
  if (!Array.isArray(outputs)) return undefined; // of a later version
  const bytes = formatBytes(outputs.reduce((sum, { stored }) => sum + stored.bytes, 0));
  return `${outputs.length === 1 ? '1 file' : `${outputs.length} files`} stored, ${bytes}`;
}

function describeWithdrawal(end: WithdrawalEnd): string | undefined {
  return end.kind === 'granted' ? `found task ${end.taskId}` : undefined;
}
