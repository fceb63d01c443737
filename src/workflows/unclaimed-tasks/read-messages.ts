import { FAMILIES } from '../../api/family.ts';
import { type FieldDigests, fieldDigests, MAX_DIGESTS } from '../../api/field-digests.ts';
import { isRecord } from '../../api/is-record.ts';
import type {
  Claim,
  ModelShape,
  OldWithdrawal,
  TaskNotice,
  Withdrawal,
  WithdrawalKind,
} from '../../contract/unclaimed-tasks.ts';

/** Longest of each: what is remembered of a message is bounded, whoever sends it. */
const MAX_ID = 200;
const MAX_WORKFLOW_ID = 1_000;
const MAX_FIELD_NAME = 100;
const MAX_DIGEST = 16;
const MAX_MODEL_FIELDS = 2 * MAX_DIGESTS;
/** The tasks that a run has had of late. */
export const MAX_KNOWN = 20;
const MAX_WITHDRAWALS = 1_000;
/** Twice the default time-out of a submit, and its heartbeat: for claims of release 0.1, which do not say. */
const USUAL_PATIENCE = 130_000;

const KINDS: readonly WithdrawalKind[] = ['look', 'give up', 'buy again', 'abandon', 'settled'];

/** A claim as it is kept; of release 0.1 it comes without its model's shape. */
export type ReadClaim = Omit<Claim, 'shape'> & { shape: ModelShape | undefined };

/**
 * The tasks of a signal `taskCreated`, those that are none left out; also of release 0.1, which sends one task with
 * its whole input. Anybody may send a signal, so it may be anything.
 *
 * @returns how many were left out, too
 */
export function readNotices(message: unknown): { tasks: TaskNotice[]; malformed: number } {
  if (!isRecord(message)) return { tasks: [], malformed: 1 };
  const { tasks: several, task, owner } = message;
  const found = Array.isArray(several) ? several : [isRecord(task) ? { owner, ...task } : undefined];
  const tasks = found.map(readNotice).filter((notice) => notice !== undefined);
  return { tasks, malformed: found.length - tasks.length };
}

function readNotice(value: unknown): TaskNotice | undefined {
  if (!isRecord(value)) return undefined;
  const { taskId, owner, createdAt, input, receivedAt, arrivedAt = receivedAt } = value;
  const fields = readFields(value['fields']) ?? (isRecord(input) ? fieldDigests(input) : undefined);
  if (!isText(taskId, MAX_ID) || !isTime(arrivedAt) || fields === undefined) return undefined;
  if (owner !== undefined && !isText(owner, MAX_WORKFLOW_ID)) return undefined;
  const created = typeof createdAt === 'string' ? Date.parse(createdAt) : createdAt;
  return {
    taskId,
    arrivedAt,
    createdAt: isTime(created) ? created : null,
    fields,
    ...(owner === undefined ? {} : { owner }),
  };
}

/** The claim of a signal `claimRequested`, also of release 0.1, which sends the whole body; undefined: it is none. */
export function readClaim(value: unknown): ReadClaim | undefined {
  if (!isRecord(value)) return undefined;
  const { claimId, workflowId, runId, firstRunId = runId, model, body, since, clockOffset, known } = value;
  const { wait = 0, patience = USUAL_PATIENCE } = value;
  const fields = readFields(value['fields']) ?? (isRecord(body) ? fieldDigests(body) : undefined);
  if (!isText(claimId, MAX_ID) || !isText(workflowId, MAX_WORKFLOW_ID) || fields === undefined)
    return undefined;
  if (!isText(runId, MAX_ID) || !isText(firstRunId, MAX_ID) || !isText(model, MAX_ID)) return undefined;
  if (!isTime(since) || !isLength(wait) || !isLength(patience)) return undefined;
  const had = Array.isArray(known) ? known.filter((taskId) => isText(taskId, MAX_ID)).slice(-MAX_KNOWN) : [];
  return {
    claimId,
    workflowId,
    firstRunId,
    runId,
    model,
    fields,
    since,
    wait,
    patience,
    shape: readShape(value['shape']),
    ...(isTime(clockOffset) ? { clockOffset } : {}),
    ...(had.length === 0 ? {} : { known: had }),
  };
}

/** A model's shape, bounded; undefined: it is none. */
function readShape(value: unknown): ModelShape | undefined {
  if (!isRecord(value) || !isRecord(value['takes'])) return undefined;
  const family = FAMILIES.find((one) => one === value['family']);
  const { names, open } = value['takes'];
  if (family === undefined || !Array.isArray(names) || names.length > MAX_MODEL_FIELDS) return undefined;
  if (!names.every((name) => isText(name, MAX_FIELD_NAME))) return undefined;
  return { family, takes: { names, open: open === true } };
}

/** The withdrawals of an update `withdrawClaims`, also of release 0.1; undefined: they are none. */
export function readWithdrawals(value: unknown): (Withdrawal | OldWithdrawal)[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_WITHDRAWALS) return undefined;
  const read = value.flatMap((one): (Withdrawal | OldWithdrawal)[] => {
    if (!isRecord(one)) return [];
    const { claimId, force, patience } = one;
    const as = KINDS.find((kind) => kind === one['as']);
    if (!isText(claimId, MAX_ID)) return [];
    if (as !== undefined) return [{ claimId, as }];
    return typeof force === 'boolean' && isLength(patience) ? [{ claimId, force, patience }] : [];
  });
  return read.length === value.length ? read : undefined;
}

function readFields(value: unknown): FieldDigests | undefined {
  if (!isRecord(value)) return undefined;
  const fields = Object.entries(value);
  // One more: the template.
  if (fields.length > MAX_DIGESTS + 1) return undefined;
  const areDigests = fields.every(
    ([name, digest]) => name.length <= MAX_FIELD_NAME && isText(digest, MAX_DIGEST),
  );
  return areDigests ? (value as FieldDigests) : undefined; // every field was checked just now
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longest;
}

/** Also a difference of times. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) < 1e15;
}

function isLength(value: unknown): value is number {
  return isTime(value) && value >= 0;
}
