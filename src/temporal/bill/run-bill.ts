import { isRecord } from '../../api/json/is-record.ts';
import { NO_USAGE, plainUsage, type Usage, usageOf } from '../../api/records/usage.ts';
import type { Attempt, GenerationRequest } from '../../contract/generation.ts';
import type { Tags } from '../../contract/tags.ts';
import { SUBMITS, type SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { decode, type HistoryEvent, timeOf } from '../history.ts';
import { provenIn } from './proven-tasks.ts';
import { searchableTaskIds } from './searchable-tasks.ts';
import { toldBy } from './told-end.ts';

/** One purchase: a task that was paid for. */
export interface BilledTask {
  taskId: string;
  workflowId: string;
  runId: string;
  model: string;
  workspace: string;
  tags: Tags;
  /** When it was bought, as far as the run tells; milliseconds since the epoch. */
  at: number;
  /** What it was charged at first, and what of it was given back. */
  credits: number;
  refunded: number;
  /** What it has cost in the end, by pool. */
  usage: Usage;
  /** Undefined where the run has not told: it was ended from outside, or runs. */
  outcome?: Attempt['outcome'];
  /** Whether a run that tells of it was charged for it: not where somebody else's was adopted, or a run that is deleted had told of it. */
  isCharged: boolean;
  /** No run of it has told of it: its submit was given up, and turned out to be charged. */
  isLate?: true;
  /** An account was told what it has cost in the end. */
  isSettled?: true;
}

/** Of these the price is the last one: nobody is paid back for them any more. */
const ENDED: ReadonlySet<Attempt['outcome'] | undefined> = new Set(['completed', 'failed', 'canceled']);

/** Whether nobody has told how the task ended (it runs, or its run was ended from outside, or it is overdue): it may be paid back. */
export function isOpen({ outcome, isSettled }: BilledTask): boolean {
  return isSettled !== true && !ENDED.has(outcome);
}

/** With what its record says that it was charged in the end, where no run has told that. */
export function withRecord(task: BilledTask, charged: number): BilledTask {
  if (!isOpen(task)) return task;
  const credits = Math.max(task.credits, charged);
  return { ...task, credits, refunded: credits - charged };
}

/**
 * What the history of one run of a generation tells of what it has bought; also of tasks that it only holds, and of those of
 * its submits that were given up: while they run, its attempts do not name them.
 */
export function billOfRun(
  run: { workflowId: string; runId: string },
  events: readonly HistoryEvent[],
): BilledTask[] {
  const started = events[0]?.workflowExecutionStartedEventAttributes;
  const [request] = decode<[Partial<GenerationRequest>]>(started?.input);
  const { model = '', workspace = DEFAULT_WORKSPACE, tags = {} } = request ?? {};
  const of = { ...run, model, workspace, tags: readTags(tags) };
  const begun = events[0] === undefined ? 0 : timeOf(events[0]);
  const held = heldBy(events);
  const bill = new Map<string, BilledTask>();
  const { attempts = [], charged } = toldBy(events);
  const isOwn = (taskId: string | null): boolean => held.get(taskId ?? '')?.isOwn === true;
  const ofOwn = usageOf(attempts.filter(({ taskId }) => isOwn(taskId)));
  const isForOthers = charged === undefined || charged.total > ofOwn.total;
  for (const [taskId, { usage, at }] of [...provenIn(events), ...held]) {
    const isCharged = held.has(taskId) || isForOthers;
    bill.set(taskId, { ...of, taskId, at, credits: usage.total, refunded: 0, usage, isCharged });
  }
  for (const { taskId, usage, outcome } of attempts) {
    if (taskId === null) continue;
    const { at = begun, credits: first = 0 } = bill.get(taskId) ?? {};
    const credits = Math.max(first, usage.total);
    const refunded = credits - usage.total;
    const isCharged = isOwn(taskId) || isForOthers;
    bill.set(taskId, { ...of, taskId, at, credits, refunded, usage: plainUsage(usage), outcome, isCharged });
  }
  return [...bill.values()];
}

/** A task that a run came to hold. `isOwn`: its own submit has bought it. */
interface HeldTask {
  usage: Usage;
  at: number;
  isOwn: boolean;
}

/**
 * The tasks that submits of the run have bought, or taken over, with what the answer has said that they cost; and those
 * that it came to hold otherwise, of which only its end or their record tells that.
 */
function heldBy(events: readonly HistoryEvent[]): Map<string, HeldTask> {
  const submits = new Set<string>();
  const held = new Map<string, HeldTask>();
  for (const event of events) {
    const { eventId, activityTaskScheduledEventAttributes: scheduled } = event;
    if (SUBMITS.has(scheduled?.activityType?.name ?? '')) submits.add(String(eventId));
    const at = timeOf(event);
    for (const taskId of searchableTaskIds(event))
      if (!held.has(taskId)) held.set(taskId, { usage: NO_USAGE, at, isOwn: false });
    const completed = event.activityTaskCompletedEventAttributes;
    if (completed == null || !submits.has(String(completed.scheduledEventId))) continue;
    const [result] = decode<[SubmitTaskResult]>(completed.result);
    if (result?.kind !== 'accepted') continue;
    const { taskId, usage, adopted } = result;
    held.set(taskId, { usage: plainUsage(usage), at: held.get(taskId)?.at ?? at, isOwn: !adopted });
  }
  return held;
}

/** Of a request that anybody may have written. */
export function readTags(tags: unknown): Tags {
  const entries = isRecord(tags) ? Object.entries(tags) : [];
  return Object.fromEntries(entries.filter((tag): tag is [string, string] => typeof tag[1] === 'string'));
}

/**
 * Each task once, whoever tells of it: by who has told how it ended, else by who has bought it first. What is known late
 * counts only where no run tells of it.
 */
export function mergeBills(bills: readonly (readonly BilledTask[])[]): BilledTask[] {
  const merged = new Map<string, BilledTask>();
  for (const task of bills.flat()) {
    const known = merged.get(task.taskId);
    merged.set(task.taskId, known === undefined ? task : both(known, task));
  }
  return [...merged.values()];
}

function both(one: BilledTask, other: BilledTask): BilledTask {
  if (one.isLate !== other.isLate) return one.isLate === true ? other : one;
  const told = [one, other].filter(({ outcome }) => outcome !== undefined);
  const credits = Math.max(one.credits, other.credits);
  // A later run may have read the record before the refund: what is told to be given back is.
  const refunded = Math.max(0, ...told.map((task) => credits - (task.credits - task.refunded)));
  const [{ outcome } = one] = told;
  const [first = one, second = first] = told;
  const { usage } = second.usage.total < first.usage.total ? second : first;
  const isCharged = one.isCharged || other.isCharged;
  return {
    ...(one.at <= other.at ? one : other),
    ...(outcome === undefined ? {} : { outcome }),
    credits,
    refunded,
    usage,
    isCharged,
  };
}
