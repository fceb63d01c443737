import { TERMINAL_EVENTS } from '../../api/events/event-types.ts';
import { fieldDigests } from '../../api/input/field-digests.ts';
import { isTaskId } from '../../api/records/task-id.ts';
import { GET_TIMEOUT } from '../../contract/limits.ts';
import { submitProvenSignal, taskEventSignal, taskGrantedSignal } from '../../contract/messages.ts';
import { withSeed } from '../../contract/tasks/sent-seed.ts';
import type { SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import { type Doubt, mayBeThisOne } from '../../contract/tasks/task-look.ts';
import { triedAgain, triedFor, triedOn } from '../../policy/patience.ts';
import { decode, type HistoryEvent } from '../../temporal/history.ts';
import type { ActivityDeps } from '../deps.ts';
import { adoptedBy } from './adoptions.ts';
import { carriedBy } from './carried.ts';
import type { CheckedSubmit } from './check-submit.ts';
import type { EarlierSearch } from './earlier-purchases.ts';
import { judgeTask } from './judge-task.ts';
import { submissionUnknown } from './to-failure.ts';
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

/**
 * Takes over a task that the runs of an id were told of, and that none of them came to hold before it ended: the receiver
 * finds a run by the tasks of its submits. One that is of use counts as it does for a run that goes on.
 *
 * @param taskIds the latest one last
 * @param seeds that submits of the id were sent with besides
 * @param search kept from attempt to attempt
 * @throws as `waitFor`
 */
export async function takeHeardOf(
  deps: ActivityDeps,
  submit: CheckedSubmit,
  taskIds: readonly string[],
  seeds: readonly (number | 'any')[],
  search: EarlierSearch,
): Promise<SubmitTaskResult | undefined> {
  const { model, workspace, firstRunId } = submit;
  const sent = { model, inputs: sentInputs(submit, seeds).map(fieldDigests) };
  const begunAt = Date.now();
  const doubts: TaskDoubt[] = [];
  for (const taskId of taskIds.slice(-MOST_READ).toReversed()) {
    const told = await judgeTask(deps, { taskId, workspace, sent, takeFor: firstRunId });
    if (told.kind === 'of use') return { kind: 'accepted', taskId, usage: told.usage, adopted: true };
    if (told.kind === 'again') doubts.push({ ...told, taskId });
    // An API that does not answer is not waited for once for each of them.
    if (doubts.some(isUnread) && Date.now() - begunAt >= GET_TIMEOUT) break;
  }
  waitFor(doubts, search, submit);
  return undefined;
}

/** What submits of an id were sent with. @param seeds that they were sent with besides */
export function sentInputs(
  { input, askedInput }: Pick<CheckedSubmit, 'input' | 'askedInput'>,
  seeds: readonly (number | 'any')[],
): Record<string, unknown>[] {
  return [...new Set([input, askedInput]), ...seeds.map((seed) => withSeed(input, seed))];
}

type TaskDoubt = Doubt & { taskId: string };

const isUnread = ({ forSome }: TaskDoubt): boolean => forSome !== true;

/**
 * Keeps a submit from buying beside tasks that may be its own: one that the API does not know, or whose name is another
 * run's, as long as the run itself would wait for it; one of which nobody can tell until the deadline. Then the run ends.
 *
 * @param search kept from attempt to attempt
 * @throws EARLIER_PURCHASE_UNREADABLE, to be retried; after the deadline SUBMISSION_UNKNOWN
 */
export function waitFor(
  doubts: readonly TaskDoubt[],
  search: Pick<EarlierSearch, 'unread' | 'kept' | 'keptFor'>,
  { vanished, plan }: Pick<CheckedSubmit, 'vanished' | 'plan'>,
): void {
  const { deadline } = plan.policy;
  const unread = doubts.find(isUnread);
  if (unread !== undefined) {
    const { taskId, reason } = unread;
    search.unread = triedAgain(search.unread, Date.now(), UNREAD_RECHECK);
    if (triedFor(search.unread) >= deadline) throw submissionUnknown(mayBeThisOne(taskId, reason));
    throw unreadable(taskId, reason, UNREAD_RECHECK);
  }
  const before = new Map(search.kept);
  const tried = doubts.map(({ taskId, reason }) => {
    const patience = triedOn(before.get(taskId), Date.now(), UNREAD_RECHECK, vanished.wait);
    return { taskId, reason, patience };
  });
  if (tried.length === 0) return;
  search.kept = tried.map(({ taskId, patience }) => [taskId, patience]);
  search.keptFor = triedOn(search.keptFor, Date.now(), UNREAD_RECHECK, deadline);
  const open = tried.find(({ patience }) => patience !== true);
  if (open !== undefined && search.keptFor !== true)
    throw unreadable(open.taskId, open.reason, UNREAD_RECHECK);
}
