import { FAMILIES } from '../../api/family.ts';
import type { FieldDigests } from '../../api/input/field-digests.ts';
import type { ModelShape, TaskGrant } from '../../contract/entities/claims.ts';
import type {
  FormerClaim,
  KeptClaim,
  KeptFacts,
  KeptTask,
  UnclaimedTasksCounts,
  UnclaimedTasksLimits,
  UnclaimedTasksPage,
  UnclaimedTasksState,
} from '../../contract/entities/unclaimed-tasks.ts';
import { LONGEST_WORKSPACE, readEntity, readHandedOn } from '../arguments/read-arguments.ts';
import {
  amount,
  count,
  flag,
  list,
  number,
  object,
  oneOf,
  optional,
  orNull,
  type Shape,
  table,
  text,
  tuple,
} from '../arguments/shapes.ts';

const id = text(1_000);
const fields: Shape<FieldDigests> = table(text(100));

/** A run that continues as new for every few events would do nothing else. */
const enoughEvents = (value: unknown): value is number => count(value) && value >= 50;

const limits = object<Partial<UnclaimedTasksLimits>>({
  entryLife: optional(amount),
  entryLifeAtLeast: optional(amount),
  entryBytes: optional(count),
  claimBytes: optional(count),
  formerLife: optional(amount),
  formerBytes: optional(count),
  visibilityLag: optional(amount),
  claimCheck: optional(amount),
  maxHistory: optional(enoughEvents),
});

const model = object<ModelShape>({
  family: oneOf(...FAMILIES),
  takes: object<ModelShape['takes']>({
    names: list(text(100)),
    open: flag,
    foreign: optional(list(text(100))),
    unseen: optional(oneOf(true)),
  }),
});

const state = object<UnclaimedTasksState>({
  workspace: text(LONGEST_WORKSPACE),
  limits: optional(limits),
  granted: optional(list(object<Pick<TaskGrant, 'claimId' | 'taskId'>>({ claimId: id, taskId: id }))),
  models: optional(table(model)),
  clock: optional(object<{ looked: number; at: number }>({ looked: number, at: number })),
  counts: optional(object<UnclaimedTasksCounts>({ malformed: count, evicted: count, refused: count })),
});

const task = tuple<KeptTask>(
  id,
  number,
  orNull(number),
  number,
  fields,
  optional(
    object<KeptFacts>({
      owner: optional(id),
      artifacts: optional(list(text(10_000), 100)),
      credits: optional(amount),
      endedWithoutResult: optional(oneOf(true)),
      namedFor: optional(id),
      grantedTo: optional(id),
      told: optional(oneOf(true)),
    }),
  ),
);

const claimed = {
  claimId: id,
  workflowId: id,
  firstRunId: id,
  runId: id,
  model: id,
  fields,
  since: number,
  clockOffset: optional(number),
  patience: amount,
  paidBy: optional(list(id)),
};

const page = object<UnclaimedTasksPage>({
  tasks: optional(list(task)),
  claims: optional(
    list(
      object<KeptClaim>({
        ...claimed,
        known: optional(list(id)),
        wait: amount,
        looksFrom: number,
        looksUntilAtMost: number,
        delayed: optional(oneOf(true)),
        toldNothing: optional(oneOf(true)),
      }),
    ),
  ),
  former: optional(list(object<FormerClaim>({ ...claimed, goneAt: number, closed: optional(oneOf(true)) }))),
});

/** A run's first argument. @throws INVALID_REQUEST */
export function readState(value: unknown): UnclaimedTasksState {
  return readEntity('unclaimed-tasks', value, state, ['limits']);
}

/** A run's further arguments. @throws INVALID_REQUEST */
export function readPages(values: readonly unknown[]): UnclaimedTasksPage[] {
  return values.flatMap((value) => readHandedOn(value, page) ?? []);
}
