import proto from '@temporalio/proto';
import { type HistoryEvent, timeOf } from '../../src/temporal/history.ts';
import type { Passed } from './hooks.ts';
import type { Play } from './play.ts';

const { EventType } = proto.temporal.api.enums.v1;

/** A moment of a scene at which something is done to it. */
export interface Moment {
  /** `event timer-started#2` of the main workflow, or a call that is held: `before submitTask#1`, `answered POST#1`. */
  name: string;
  /** How many points its main workflow can be Reset to by then. */
  points: number;
  /** How many signals and updates have come by then. */
  messages: number;
  /** How many children have ended by then. */
  ended: number;
}

/** Calls with the same name that follow each other do the same. */
const MOST_ALIKE = 2;
/** Calls that change what others see: what is done before one is another thing than what is done after it. */
const CHANGES = /^(submitTask|POST|requestClaim|withdrawClaim)$/;
/** What follows a workflow task that orders one of these at once is held: the moment before it is the same. */
const ORDERS: ReadonlySet<string> = new Set([
  'activity-task-scheduled',
  'start-child-workflow-execution-initiated',
]);
const POINT = 'workflow-task-completed';
const MESSAGES: ReadonlySet<string> = new Set([
  'workflow-execution-signaled',
  'workflow-execution-update-accepted',
]);
const CHILD_ENDS = /^child-workflow-execution-(completed|failed|canceled|terminated|timed-out)$/;
const PASS = /^(\w+) (?:\S+:)?(\w+)#(\d+)$/;
const EVENT = /^event ([a-z-]+)#(\d+)$/;

/** Whether a submit is under way. */
export const isSubmit = ({ name }: Pick<Moment, 'name'>): boolean =>
  ['submitTask', 'POST'].includes(PASS.exec(name)?.[2] ?? '');

/** Whether something changes that others see, or something is waited for: no call that only reads is open. */
export const isTelling = ({ name }: Pick<Moment, 'name'>): boolean =>
  isEvent({ name }) || CHANGES.test(PASS.exec(name)?.[2] ?? '');

export const isEvent = ({ name }: Pick<Moment, 'name'>): boolean => EVENT.test(name);

/** An event's type as moments name it. */
function typeOf({ eventType }: HistoryEvent): string {
  const name = EventType[eventType ?? 0] ?? '';
  return name.replace('EVENT_TYPE_', '').toLowerCase().replaceAll('_', '-');
}

/**
 * The moments of a scene that an act can tell apart, by a rehearsal of it, in their order:
 *
 * - what a workflow task has ordered, if that is something to wait for. Whatever brings about a workflow task is followed
 *   by it at once, and where it orders a call or a child, or nothing, the moments of calls show the same;
 * - every call before it begins; of one that changes what others see also what follows, step by step.
 */
export function momentsOf(events: readonly HistoryEvent[], passed: readonly Passed[]): Moment[] {
  const typed = events.map((event) => ({ type: typeOf(event), at: timeOf(event) }));
  const until = (time: number, isCounted: (type: string) => boolean): number =>
    typed.filter(({ type, at }) => at <= time && isCounted(type)).length;
  const found = [...waitsOf(typed), ...passed.filter(({ name }) => isTold(name))];
  return found
    .sort((a, b) => a.at - b.at)
    .map(({ name, at }) => ({
      name,
      points: until(at, (type) => type === POINT),
      messages: until(at, (type) => MESSAGES.has(type)),
      ended: until(at, (type) => CHILD_ENDS.test(type)),
    }));
}

/** The last event of each workflow task after which the workflow waits for something that is no call, and the very last. */
function waitsOf(typed: readonly { type: string; at: number }[]): Passed[] {
  const counts = new Map<string, number>();
  const waits: Passed[] = [];
  let ordered: string[] | undefined;
  typed.forEach(({ type, at }, index) => {
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    if (type === POINT) ordered = [];
    else if (ordered === undefined) return;
    else if (IS_ORDERED.test(type)) ordered.push(type);
    else ordered = undefined;
    const next = typed[index + 1]?.type;
    if (ordered === undefined || ordered.length === 0 || (next !== undefined && IS_ORDERED.test(next)))
      return;
    if (!ordered.some((one) => ORDERS.has(one))) waits.push({ name: `event ${type}#${count}`, at });
    ordered = undefined;
  });
  return waits;
}

/** What the server writes down because a workflow task has ordered it. */
const IS_ORDERED =
  /^(activity-task-(scheduled|cancel-requested)|timer-(started|canceled)|marker-recorded|start-child-workflow-execution-initiated|(signal|request-cancel)-external-workflow-execution-initiated|upsert-workflow-search-attributes|workflow-properties-modified|workflow-execution-(completed|failed|canceled|continued-as-new)|workflow-execution-update-(accepted|completed))$/;

function isTold(name: string): boolean {
  const [, phase, what = '', nth] = PASS.exec(name) ?? [];
  return Number(nth) <= MOST_ALIKE && (CHANGES.test(what) || (phase === 'before' && what !== 'GET'));
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
