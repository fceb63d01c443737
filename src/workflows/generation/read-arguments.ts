import { FAMILIES } from '../../api/family.ts';
import { isRecord } from '../../api/json/is-record.ts';
import type { Usage } from '../../api/records/usage.ts';
import type { Attempt, GenerationRequest } from '../../contract/generation.ts';
import type { Outlook } from '../../policy/look-pace.ts';
import { LONGEST_WORKSPACE, readHandedOn } from '../arguments/read-arguments.ts';
import {
  count,
  flag,
  list,
  number,
  object,
  oneOf,
  optional,
  orNull,
  record,
  type Shape,
  text,
  tuple,
} from '../arguments/shapes.ts';
import type { Carried, Stage } from './continue.ts';
import type { HeldTask } from './run.ts';

const LONGEST_MODEL = 100;

/** What a run shows of its request before it is checked. */
const shown = object<Pick<GenerationRequest, 'model' | 'workspace'>>({
  model: text(LONGEST_MODEL),
  workspace: optional(text(LONGEST_WORKSPACE)),
});

/**
 * The request as far as it can be shown to people. The worker checks it whole; until it has, anything may be wrong with
 * it.
 */
export function readRequest(value: unknown): GenerationRequest {
  if (!isRecord(value) || !shown(value)) return { model: '', input: {} };
  return value as unknown as GenerationRequest; // what it shows is right; the check tells what else is
}

const id = text(1_000);
const usage = object<Usage>({ total: number, subscription: number, permanent: number });

const attempt = object<Attempt>({
  taskId: orNull(id),
  outcome: oneOf('completed', 'failed', 'canceled', 'overdue', 'vanished', 'rejected', 'unknown'),
  code: orNull(text(1_000)),
  usage,
  settledBy: orNull(oneOf('webhook', 'poll')),
  adopted: flag,
});

const task = object<HeldTask>({
  taskId: id,
  usage,
  adopted: flag,
  outlook: optional(object<Outlook>({ webhooks: flag, expected: optional(number) })),
});

/** What a stage has got to is its own: a run of ours has written it, and nobody else gets this far. */
const within = <T extends object>(): Shape<T> => record as Shape<unknown> as Shape<T>;

type Of<Kind extends Stage['kind']> = Extract<Stage, { kind: Kind }>;

const waiting = object<Of<'wait'>>({
  kind: oneOf('wait'),
  task,
  deadlineAt: number,
  asking: optional(text(10_000)),
  waited: optional(within<NonNullable<Of<'wait'>['waited']>>()),
});

const storing = object<Of<'store'>>({
  kind: oneOf('store'),
  task,
  storing: within<Of<'store'>['storing']>(),
});

const buying = object<Of<'buy'>>({
  kind: oneOf('buy'),
  parkedSince: optional(number),
  unknowns: optional(count),
  lost: optional(within<NonNullable<Of<'buy'>['lost']>>()),
});

const stage: Shape<Stage> = (value): value is Stage => waiting(value) || storing(value) || buying(value);

const carried = object<Carried>({
  stage,
  check: object<Carried['check']>({
    ok: oneOf(true),
    family: oneOf(...FAMILIES),
    takesSeed: flag,
    policy: within<Carried['check']['policy']>(),
  }),
  input: record,
  attempts: list(attempt),
  resolvedUnknowns: list(number),
  ended: list(id),
  artifacts: optional(list(tuple<[string, string[]]>(id, list(text(100_000))))),
  grants: list(tuple<[string, string]>(id, id)),
  notSent: optional(list(id)),
  doubts: optional(list(tuple<[string, number]>(id, count))),
  proven: optional(list(tuple<[string, number]>(id, count))),
  foreign: optional(list(id)),
  shownState: optional(text(100)),
});

/** What the run before this one has handed on. @throws INVALID_REQUEST */
export function readCarried(value: unknown): Carried | undefined {
  return readHandedOn(value, carried);
}
