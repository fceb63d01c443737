import { endedInVain } from '../../api/ended-in-vain.ts';
import { isRecord } from '../../api/is-record.ts';
import type { GenerationOutput } from '../../contract/generation.ts';
import type { FoundGeneration } from '../../contract/step-look.ts';
import type { SubmitTaskResult } from '../../contract/submit-task.ts';
import type { TaskLook, TaskReport } from '../../contract/task-look.ts';
import type { WithdrawalEnd } from '../../contract/unclaimed-tasks.ts';
import { formatBytes } from '../../terminal/units.ts';

/** How an activity ended: with what it returned, or with a failure. */
export type ActivityEnd = { result: unknown } | { failure: { type: string; message: string } };

/** What an activity's beginning means for its run; only what costs, or takes long, is told. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  submitTask: 'submits to the API',
  submitFromTemplate: 'submits to the API',
  adoptTask: 'takes over what was bought',
  requestClaim: 'looks for the task of the lost answer',
};

/** What an activity's result means for its run; undefined: nothing that is worth a line. */
const RESULTS: Readonly<Record<string, (result: unknown) => string | undefined>> = {
  checkGeneration: describeCheck,
  checkPipeline: describeCheck,
  submitTask: (result) => describeSubmit(result as SubmitTaskResult), // the contract's
  submitFromTemplate: (result) => describeSubmit(result as SubmitTaskResult), // the contract's
  adoptTask: (result) => describeSubmit(result as SubmitTaskResult), // the contract's
  getTask: (result) => describeReport(result as TaskReport), // the contract's
  lookAtTask: (result) => describeLook(result as TaskLook), // the contract's
  storeOutputs: (result) => describeFiles(result as GenerationOutput[]), // the contract's
  findReusable: (result) => `a step is taken over from ${(result as { workflowId: string }).workflowId}`, // the contract's
  awaitGeneration: (result) => describeFound(result as FoundGeneration), // the contract's
  withdrawClaim: (result) => describeWithdrawal(result as WithdrawalEnd), // the contract's
};

/** What a failed activity is called. */
const NAMES: Readonly<Record<string, string>> = {
  submitTask: 'the submit failed',
  submitFromTemplate: 'the submit failed',
  adoptTask: 'nothing was taken over',
  lookAtTask: 'the files could not be stored',
  storeOutputs: 'the files could not be stored',
};

export function describeActivityStart(name: string): string | undefined {
  return Object.hasOwn(BEGINNINGS, name) ? BEGINNINGS[name] : undefined;
}

/** @param tries how often Temporal had it tried */
export function describeActivityEnd(name: string, tries: number, end: ActivityEnd): string | undefined {
  const tried = tries === 1 ? '' : ` (try ${tries})`;
  if ('failure' in end) {
    const { type, message } = end.failure;
    const words = Object.hasOwn(NAMES, name) ? NAMES[name] : `${name} failed`;
    return `${words}${tried}: ${type === '' ? '' : `${type}: `}${message}`;
  }
  const tell = Object.hasOwn(RESULTS, name) ? RESULTS[name] : undefined;
  if (end.result === undefined || end.result === null) return undefined;
  const said = tell?.(end.result);
  return said === undefined ? undefined : `${said}${tried}`;
}

function describeCheck(result: unknown): string | undefined {
  return isRecord(result) && result['ok'] === false ? 'the request is refused' : undefined;
}

function describeSubmit(result: SubmitTaskResult): string {
  if (result.kind === 'unknown') return `the answer got lost: ${result.reason}`;
  const { taskId, usage, adopted } = result;
  return adopted ? `took over task ${taskId}` : `task ${taskId} accepted, ${usage.total} credits`;
}

/** Polls are told of only where they find an end, or trouble. */
function describeReport(report: TaskReport): string | undefined {
  if (report.kind === 'not-found') return 'poll: the API does not know the task';
  if (report.kind === 'unavailable') return `poll: cannot read the record: ${report.reason}`;
  if (report.status === 'COMPLETED') return COMPLETED;
  return endedInVain(report.status) ? describeVainEnd(report) : undefined;
}

/** The same of a look, which stores the files on its way. */
function describeLook(look: TaskLook): string | undefined {
  if (look.kind === 'open') return undefined;
  if (look.kind === 'ended') return describeVainEnd(look);
  if (look.kind !== 'completed') return describeReport(look);
  const { files } = look;
  if (files.kind === 'stored') return `${COMPLETED}, ${describeFiles(files.outputs)}`;
  return `${COMPLETED}, its files are ${files.kind === 'delayed' ? 'not stored yet' : files.kind}: ${files.reason}`;
}

const COMPLETED = 'the task has completed';

function describeVainEnd({
  status,
  code,
  message,
}: {
  status: string;
  code: string | null;
  message: string | null;
}): string {
  const why = [code ?? [], message ?? []].flat().join(': ');
  return `the task ended as ${status}${why === '' ? '' : `: ${why}`}`;
}

function describeFiles(outputs: readonly GenerationOutput[]): string | undefined {
  if (!Array.isArray(outputs)) return undefined; // of a later version
  const bytes = formatBytes(outputs.reduce((sum, { stored }) => sum + stored.bytes, 0));
  return `${outputs.length === 1 ? '1 file' : `${outputs.length} files`} stored, ${bytes}`;
}

function describeFound(found: FoundGeneration): string | undefined {
  return found.kind === 'completed' ? `took over a step's task ${found.result.taskId}` : undefined;
}

function describeWithdrawal(end: WithdrawalEnd): string | undefined {
  return end.kind === 'granted' ? `found task ${end.taskId}` : undefined;
}
