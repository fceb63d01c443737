import { condition } from '@temporalio/workflow';
import type { TaskReport } from '../../contract/activities.ts';
import { pollingInterval } from '../../policy/backoff.ts';
import { formatDuration, local, summary } from './activities.ts';
import type { Steps } from './generation.ts';
import type { HeldTask } from './run.ts';

type TaskRecord = Extract<TaskReport, { kind: 'record' }>;

/** How the wait for a task ended. */
export type WaitEnd = { settledBy: 'webhook' | 'poll' } & (
  | { kind: 'terminal'; record: TaskRecord }
  | { kind: 'overdue' }
  | { kind: 'vanished' }
);

/** A terminal event whose record is not terminal yet is looked at again this soon, at most (milliseconds). */
const EARLY_EVENT_RECHECK = 2_000;
/** How long the last GET is tried for while it is not answered, in longest polling intervals. */
const LAST_GETS = 3;

/**
 * Waits for a task's terminal record. A webhook's signal, the next poll and the deadline are one wait; whatever
 * ends it, one GET decides. Before the run gives up there is one last GET, which has to be answered: the deadline
 * may have passed while no worker was there to look.
 */
export async function waitForRecord({ run, inbox, plan }: Steps, task: HeldTask): Promise<WaitEnd> {
  const { polling, deadline, vanished } = plan.policy;
  const deadlineAt = Date.now() + deadline;
  let quietPolls = 0;
  // An adopted task may have ended long ago: it is looked at at once.
  let pause = task.adopted ? 0 : pollingInterval(polling, 0);
  let missingSince: number | undefined;
  let eventSeen = false;
  /** When the first GET after the deadline could not be answered. */
  let lateSince: number | undefined;
  run.enter('waiting');
  for (;;) {
    const now = Date.now();
    const nextAt = lateSince === undefined ? Math.min(now + pause, deadlineAt) : now + pause;
    const until = Math.min(nextAt, (missingSince ?? Infinity) + vanished.wait);
    run.nextPollAt = until;
    const hinted = (): boolean => !eventSeen && inbox.endsOf(task.taskId) > 0;
    if (until > now) {
      await condition(() => hinted() || inbox.lookRequested, until - now, {
        summary: summary(`next poll of ${task.taskId} in ${formatDuration(until - now)}`),
      });
    }
    inbox.lookRequested = false;
    const news = hinted();
    eventSeen ||= news;
    const last = Date.now() >= deadlineAt;
    const report = await local.getTask({ taskId: task.taskId, workspace: run.workspace });
    inbox.looks += 1;
    const end = judge(report);
    if (end !== undefined) return end;
    if (last) {
      lateSince ??= Date.now();
      const answered = report.kind === 'record';
      if (answered || Date.now() - lateSince >= LAST_GETS * polling.max)
        return { kind: 'overdue', settledBy: settledBy() };
    }
    if (pause > 0) quietPolls += 1;
    pause = pollingInterval(polling, quietPolls);
    if (news) pause = Math.min(pause, EARLY_EVENT_RECHECK);
    if (report.kind === 'unavailable') pause = Math.max(pause, report.retryAfter ?? 0);
  }

  function judge(report: TaskReport): WaitEnd | undefined {
    if (report.kind === 'not-found') {
      missingSince ??= Date.now();
      run.tell(`the API does not know task ${task.taskId}; trying for ${formatDuration(vanished.wait)}`);
      return Date.now() - missingSince >= vanished.wait
        ? { kind: 'vanished', settledBy: settledBy() }
        : undefined;
    }
    missingSince = undefined;
    run.tell(report.kind === 'unavailable' ? `cannot read the record: ${report.reason}` : undefined);
    if (report.kind === 'unavailable') return undefined;
    const open = report.status === 'IN_QUEUE' || report.status === 'IN_PROGRESS';
    // A record that is not settled may not tell its price yet; a settled one that says 0 was free, or refunded.
    if (!open || report.usage.total > 0) task.usage = report.usage;
    if (open) return undefined;
    return { kind: 'terminal', record: report, settledBy: settledBy() };
  }

  function settledBy(): 'webhook' | 'poll' {
    return inbox.endsOf(task.taskId) > 0 ? 'webhook' : 'poll';
  }
}
