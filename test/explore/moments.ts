import proto from '@temporalio/proto';
import { type HistoryEvent, timeOf } from '../../src/temporal/history.ts';
import type { Passed } from './hooks.ts';
import type { Play } from './play.ts';

const { EventType } = proto.temporal.api.enums.v1;

/** A moment of a scene at which something is done to it. */
export interface Moment {
  /** `event timer-started#2` of the main workflow, or a call that is held: `before submitTask#1`, `POST#1 answered`. */
  name: string;
  /** How many points its main workflow can be Reset to by then. */
  points: number;
  /** How many signals and updates have come by then. */
  messages: number;
}

/** Calls with the same name that follow each other do the same. */
const MOST_ALIKE = 2;
/** Events by which nothing is said: a worker takes a workflow task. */
const SILENT: ReadonlySet<string> = new Set(['workflow-task-started', 'workflow-task-scheduled']);
/** Events that begin what the server writes at once. */
const BEGINNINGS: ReadonlySet<string> = new Set([
  'workflow-task-started',
  'workflow-task-scheduled',
  'workflow-task-completed',
  'workflow-task-timed-out',
  'workflow-task-failed',
  'workflow-execution-signaled',
  'activity-task-started',
  'timer-fired',
  'child-workflow-execution-started',
  'child-workflow-execution-completed',
  'child-workflow-execution-failed',
]);

const POINTS: ReadonlySet<string> = new Set(['workflow-task-completed']);
const MESSAGES: ReadonlySet<string> = new Set([
  'workflow-execution-signaled',
  'workflow-execution-update-accepted',
]);

const EVENT = /^event ([a-z-]+)#(\d+)$/;

export const isEvent = ({ name }: Pick<Moment, 'name'>): boolean => EVENT.test(name);

/** An event's type as moments name it. */
function typeOf({ eventType }: HistoryEvent): string {
  const name = EventType[eventType ?? 0] ?? '';
  return name.replace('EVENT_TYPE_', '').toLowerCase().replaceAll('_', '-');
}

/**
 * The moments of a scene, from a rehearsal of it: the last event of each that the server has written at once, and every
 * call that came by.
 */
export function momentsOf(events: readonly HistoryEvent[], passed: readonly Passed[]): Moment[] {
  const counts = new Map<string, number>();
  const moments: Moment[] = [];
  let points = 0;
  let messages = 0;
  events.forEach((event, index) => {
    const type = typeOf(event);
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    if (type === 'workflow-task-completed') points += 1;
    if (MESSAGES.has(type)) messages += 1;
    const next = events[index + 1];
    const isLast = next === undefined || BEGINNINGS.has(typeOf(next));
    if (isLast && !SILENT.has(type)) moments.push({ name: `event ${type}#${count}`, points, messages });
  });
  const timesOf = (types: ReadonlySet<string>): number[] =>
    events.filter((event) => types.has(typeOf(event))).map(timeOf);
  const [completed, came] = [timesOf(POINTS), timesOf(MESSAGES)];
  for (const { name, at } of passed) {
    if (Number(name.split('#')[1]) > MOST_ALIKE) continue;
    const until = (times: readonly number[]): number => times.filter((time) => time <= at).length;
    moments.push({ name, points: until(completed), messages: until(came) });
  }
  return moments;
}

/** Waits for an event of the main workflow's latest run. @returns false where the run ends without it */
export async function untilEvent({ stage: { client }, handle, main }: Play, name: string): Promise<boolean> {
  const [, type, nth] = EVENT.exec(name) ?? [];
  const { runId } = await handle.describe();
  let nextPageToken: Uint8Array | undefined;
  for (let seen = 0; ; ) {
    const page = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId: main.workflowId, runId },
      waitNewEvent: true,
      ...(nextPageToken === undefined ? {} : { nextPageToken }),
    });
    for (const event of page.history?.events ?? []) if (typeOf(event) === type) seen += 1;
    if (seen >= Number(nth)) return true;
    if (page.nextPageToken.length === 0) return false;
    nextPageToken = page.nextPageToken;
  }
}
