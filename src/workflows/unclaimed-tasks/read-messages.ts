import { FAMILIES } from '../../api/family.ts';
import { type FieldDigests, MAX_DIGESTS } from '../../api/input/field-digests.ts';
import { isRecord } from '../../api/json/is-record.ts';
import { isTaskId } from '../../api/records/task-id.ts';
import type { Claim, ModelShape, Withdrawal, WithdrawalKind } from '../../contract/entities/claims.ts';
import type { TaskNotice } from '../../contract/entities/task-notices.ts';
import { isCredits } from '../../contract/generation-messages.ts';
import { MOST_PAYERS } from '../../contract/purchases/payers.ts';
import { readArtifacts } from '../../contract/tasks/task-artifacts.ts';

/** Longest of each: what is remembered of a message is bounded, whoever sends it. */
const MAX_ID = 200;
const MAX_WORKFLOW_ID = 1_000;
const MAX_FIELD_NAME = 100;
const MAX_DIGEST = 16;
export const MAX_MODEL_FIELDS = 2 * MAX_DIGESTS;
/** The tasks that a run has had of late. */
const MAX_KNOWN = 20;
const MAX_WITHDRAWALS = 1_000;

const KINDS: readonly WithdrawalKind[] = ['look', 'give up', 'buy again', 'abandon', 'settled'];

/** A claim as it is kept; its model's shape may be none that can be read. */
export type ReadClaim = Omit<Claim, 'shape'> & { shape: ModelShape | undefined };

/**
 * The tasks of a signal `taskCreated`, those that are none left out. Anybody may send a signal, so it may be anything.
 *
 * @param now milliseconds since the epoch: when they arrived is told by this clock from here on
 * @returns how many were left out, too
 */
export function readNotices(message: unknown, now: number): { tasks: TaskNotice[]; malformed: number } {
  if (!isRecord(message)) return { tasks: [], malformed: 1 };
  const { tasks: told, toldAt } = message;
  const found: unknown[] = Array.isArray(told) ? told : [undefined];
  const ahead = isTime(toldAt) ? now - toldAt : 0;
  const tasks = found
    .map(readNotice)
    .filter((notice) => notice !== undefined)
    .map((notice) => ({ ...notice, arrivedAt: notice.arrivedAt + ahead }));
  return { tasks, malformed: found.length - tasks.length };
}

function readNotice(value: unknown): TaskNotice | undefined {
  if (!isRecord(value)) return undefined;
  const { taskId, owner, createdAt, arrivedAt, credits } = value;
  const fields = readFields(value['fields']);
  if (!isTaskId(taskId) || !isTime(arrivedAt) || fields === undefined) return undefined;
  if (owner !== undefined && !isText(owner, MAX_WORKFLOW_ID)) return undefined;
  const artifacts = readArtifacts(value['artifacts']);
  return {
    taskId,
    arrivedAt,
    createdAt: isTime(createdAt) ? createdAt : null,
    fields,
    ...(artifacts === undefined ? {} : { artifacts }),
    ...(isCredits(credits) ? { credits } : {}),
    ...(owner === undefined ? {} : { owner }),
  };
}

/** The claim of a signal `claimRequested`; undefined: it is none. */
export function readClaim(value: unknown): ReadClaim | undefined {
  if (!isRecord(value)) return undefined;
  const { claimId, workflowId, runId, firstRunId, model, since, clockOffset, known, wait, patience } = value;
  const { paidBy } = value;
  const fields = readFields(value['fields']);
  if (!isText(claimId, MAX_ID) || !isText(workflowId, MAX_WORKFLOW_ID) || fields === undefined)
    return undefined;
  if (!isText(runId, MAX_ID) || !isText(firstRunId, MAX_ID) || !isText(model, MAX_ID)) return undefined;
  if (!isTime(since) || !isLength(wait) || !isLength(patience)) return undefined;
  const isPayer = (one: unknown): one is string => isText(one, MAX_WORKFLOW_ID);
  const payers = Array.isArray(paidBy) ? paidBy.filter(isPayer).slice(0, MOST_PAYERS) : [];
  const had = Array.isArray(known) ? known.filter(isTaskId).slice(-MAX_KNOWN) : [];
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
    ...(payers.length === 0 ? {} : { paidBy: payers }),
  };
}

/** A model's shape, bounded; undefined: it is none. */
function readShape(value: unknown): ModelShape | undefined {
  if (!isRecord(value) || !isRecord(value['takes'])) return undefined;
  const family = FAMILIES.find((one) => one === value['family']);
  const { open } = value['takes'];
  const names = readNames(value['takes']['names']);
  const foreign = readNames(value['takes']['foreign']);
  if (family === undefined || names === undefined) return undefined;
  const takes: ModelShape['takes'] = {
    names,
    open: open === true,
    ...(foreign === undefined ? {} : { foreign }),
    ...(value['takes']['unseen'] === true ? { unseen: true } : {}),
  };
  return { family, takes };
}

function readNames(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_MODEL_FIELDS) return undefined;
  return value.every((name) => isText(name, MAX_FIELD_NAME)) ? value : undefined;
}

/** The withdrawals of an update `withdrawClaims`; undefined: they are none. */
export function readWithdrawals(value: unknown): Withdrawal[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_WITHDRAWALS) return undefined;
  const read = value.flatMap((one): Withdrawal[] => {
    if (!isRecord(one)) return [];
    const { claimId, notOurs } = one;
    const as = KINDS.find((kind) => kind === one['as']);
    if (!isText(claimId, MAX_ID) || as === undefined) return [];
    return isText(notOurs, MAX_ID) ? [{ claimId, as, notOurs }] : [{ claimId, as }];
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
