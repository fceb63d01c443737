import { Context } from '@temporalio/activity';
import { TERMINAL_EVENTS } from '../../api/events/event-types.ts';
import { fieldDigests } from '../../api/input/field-digests.ts';
import { endedInVain } from '../../api/records/ended-in-vain.ts';
import { isTaskId } from '../../api/records/task-id.ts';
import type { Usage } from '../../api/records/usage.ts';
import { whyNotOurs } from '../../contract/entities/task-notices.ts';
import { submitProvenSignal, taskEventSignal, taskGrantedSignal } from '../../contract/messages.ts';
import { withSeed } from '../../contract/tasks/sent-seed.ts';
import type { SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import { triedAgain, triedFor, triedOn } from '../../policy/patience.ts';
import { decode, type HistoryEvent } from '../../temporal/history.ts';
import type { ActivityDeps } from '../deps.ts';
import { takeTaskName } from '../unclaimed-tasks/take-task-names.ts';
import { adoptedBy } from './adoptions.ts';
import { carriedBy } from './carried.ts';
import type { CheckedSubmit } from './check-submit.ts';
import type { EarlierSearch } from './earlier-purchases.ts';
import { getTask } from './get-task.ts';
import { UNREAD_RECHECK, unreadable } from './unreadable.ts';

/** Anybody may send signals: of so many tasks, the latest ones, the record is read. */
const MOST_READ = 20;

const TELLING: ReadonlySet<unknown> = new Set([
  taskEventSignal.name,
  taskGrantedSignal.name,
  submitProvenSignal.name,
]);

/**
 * The tasks that a run was told of, oldest first: by signals, that they have ended, are granted to it, or are those of
 * submits that it has given up; by a person who has decided to adopt them; or by the run that it goes on for.
 */
export function toldTaskIds(events: readonly HistoryEvent[]): string[] {
  return events.flatMap((event) => {
    const { workflowExecutionSignaledEventAttributes: signal } = event;
    if (signal == null) return carriedBy(event)?.told ?? adoptedBy(event);
    const name = signal?.signalName;
    if (!TELLING.has(name)) return [];
    const [told] = decode(signal?.input) as [{ type?: unknown; taskId?: unknown } | null | undefined];
    const isTold = name !== taskEventSignal.name || TERMINAL_EVENTS.has(String(told?.type));
    return isTold && isTaskId(told?.taskId) ? [told.taskId] : [];
  });
}

export type HeardOf =
  | { kind: 'of use'; taskId: string; usage: Usage }
  | ({ kind: 'unreadable' } & Kept)
  /** Their names are other runs', or the API does not know them. */
  | { kind: 'kept'; tasks: Kept[] };

interface Kept {
  taskId: string;
  reason: string;
}

/**
 * A task that the runs of an id were told of, and that none of them came to hold before it ended: the receiver finds a
 * run by the tasks of its submits. It is of use if it is of the same input, and completed or running, and its name is
 * this run's: that is taken here.
 *
 * @param taskIds the latest one last
 * @param seeds that submits of the id were sent with besides
 */
export async function findHeardOf(
  deps: ActivityDeps,
  {
    model,
    input,
    askedInput,
    workspace,
    firstRunId,
  }: Pick<CheckedSubmit, 'model' | 'input' | 'askedInput' | 'workspace' | 'firstRunId'>,
  taskIds: readonly string[],
  seeds: readonly (number | 'any')[],
): Promise<HeardOf | undefined> {
  const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
  const sent = { model, inputs: sentInputs({ input, askedInput }, seeds).map(fieldDigests) };
  const kept: Kept[] = [];
  let unreadable: HeardOf | undefined;
  for (const taskId of taskIds.slice(-MOST_READ).toReversed()) {
    const report = await getTask(deps, { taskId, workspace, holder: true, sent });
    if (report.kind === 'unavailable') return { kind: 'unreadable', taskId, reason: report.reason };
    if (report.heldBy !== undefined) continue;
    if (report.kind === 'not-found') {
      kept.push({ taskId, reason: 'the API does not know it' });
      continue;
    }
    const { isAsSent, status, usage } = report;
    if (isAsSent !== true || endedInVain(status)) continue;
    const name = await takeTaskName(deps, { taskId, workflowId, runId, firstRunId });
    if (name.kind === 'ours') return { kind: 'of use', taskId, usage };
    // An earlier one may be of use all the same; one that nobody can tell of is waited for longer.
    const told = { taskId, reason: whyNotOurs(name) };
    if (name.kind === 'other') kept.push(told);
    else unreadable ??= { kind: name.kind, ...told };
  }
  return unreadable ?? (kept.length > 0 ? { kind: 'kept', tasks: kept } : undefined);
}

/** What submits of an id were sent with. @param seeds that they were sent with besides */
export function sentInputs(
  { input, askedInput }: Pick<CheckedSubmit, 'input' | 'askedInput'>,
  seeds: readonly (number | 'any')[],
): Record<string, unknown>[] {
  return [...new Set([input, askedInput]), ...seeds.map((seed) => withSeed(input, seed))];
}

/**
 * Takes over what runs were told of, or tries again where its record cannot be read, is not there, or its name is another run's: as long as
 * the run itself would wait for it. A stranger may have told of it: it is not waited for without end.
 *
 * @param search kept from attempt to attempt
 * @throws EARLIER_PURCHASE_UNREADABLE, to be retried
 */
export function takeHeardOf(
  heard: HeardOf | undefined,
  search: Pick<EarlierSearch, 'unread' | 'kept' | 'keptFor'>,
  { vanished, plan }: Pick<CheckedSubmit, 'vanished' | 'plan'>,
): SubmitTaskResult | undefined {
  if (heard === undefined) return undefined;
  if (heard.kind === 'of use')
    return { kind: 'accepted', taskId: heard.taskId, usage: heard.usage, adopted: true };
  if (heard.kind === 'unreadable') {
    search.unread = triedAgain(search.unread, Date.now(), UNREAD_RECHECK);
    if (triedFor(search.unread) < plan.policy.deadline)
      throw unreadable(heard.taskId, heard.reason, UNREAD_RECHECK);
    return undefined;
  }
  const before = new Map(search.kept);
  const tried = heard.tasks.map(({ taskId, reason }) => {
    const patience = triedOn(before.get(taskId), Date.now(), UNREAD_RECHECK, vanished.wait);
    return { taskId, reason, patience };
  });
  search.kept = tried.map(({ taskId, patience }) => [taskId, patience]);
  search.keptFor = triedOn(search.keptFor, Date.now(), UNREAD_RECHECK, plan.policy.deadline);
  const open = tried.find(({ patience }) => patience !== true);
  if (open !== undefined && search.keptFor !== true)
    throw unreadable(open.taskId, open.reason, UNREAD_RECHECK);
  return undefined;
}
