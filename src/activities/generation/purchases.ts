import proto from '@temporalio/proto';
import { given } from '../../api/json/given.ts';
import { plainUsage, type Usage } from '../../api/records/usage.ts';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { GenerationRequest, GenerationResult } from '../../contract/generation.ts';
import {
  type LookedBack,
  SUBMITS,
  type SubmitTaskInput,
  type SubmitTaskResult,
} from '../../contract/tasks/submit-task.ts';
import { searchableTaskIds } from '../../temporal/bill/searchable-tasks.ts';
import { toldBy } from '../../temporal/bill/told-end.ts';
import { decode, type HistoryEvent, timeOf } from '../../temporal/history.ts';
import { carriedBy, type ToldUnknown, type VainEnd, vainEnds } from './carried.ts';

const { TIMEOUT_TYPE_SCHEDULE_TO_START } = proto.temporal.api.enums.v1.TimeoutType;

const ADOPTION = 'adoptTask' satisfies keyof DarkroomActivities;
const CLAIM = 'requestClaim' satisfies keyof DarkroomActivities;

/** What a run's history tells about the tasks that it bought. */
export interface Purchases {
  /** Task ids in the order in which the run came to hold them. */
  taskIds: string[];
  /** What they cost, by their ids, as far as the run has written it down. */
  usages: ReadonlyMap<string, Usage>;
  /** What it has written down last of those that left nothing to take over. */
  ends: ReadonlyMap<string, VainEnd[1]>;
  /** The tasks that it has bought itself, after it had looked for those of earlier runs. */
  bought: ReadonlySet<string>;
  /** What it has come to, where it has completed. */
  result?: GenerationResult | undefined;
  /** The submits of which nobody recorded how they ended, oldest first: each may have bought a task. */
  unknownSubmits: UnknownSubmit[];
  /** Every submit whose end is on record. */
  endedSubmits: Submit[];
}

export interface Submit {
  /** When it began, in milliseconds since the epoch: no task of it was made before. */
  since: number;
  /** How far the API's clock was ahead of that one, where its worker could tell. */
  clockOffset?: number;
  /** When it was scheduled, in milliseconds since the epoch: with the activity's id it tells submits apart. */
  scheduledAt: number;
  activityId: string;
  /** The run that has scheduled it, where that is not the one whose history this is. */
  runId?: string | undefined;
  /** What it was sent with: after a refusal another one than the request's. */
  seed?: number | 'any';
}

export interface UnknownSubmit extends Submit {
  recorded: boolean;
  inFlight: boolean;
  claimedAt?: number;
  /** The run has submitted again after it. */
  givenUp?: true;
  /** It is a doubt of the store, for a person to decide. */
  stored?: true;
}

/**
 * Reads purchases off a run's history: the results of its submits and claims, and every task id that it made
 * searchable (claimed, adopted or named by a person). A submit without a recorded end, or one that timed out or
 * reported an unknown outcome, may have bought a task; where a later submit followed it, its run has given it up.
 */
export function readPurchases(events: readonly HistoryEvent[]): Purchases {
  const taskIds = new Set<string>();
  const usages = new Map<string, Usage>();
  const ends = new Map<string, VainEnd[1]>();
  const bought = new Set<string>();
  const hold = (taskId: string): void => {
    taskIds.delete(taskId);
    taskIds.add(taskId);
    ends.delete(taskId);
  };
  const submits = new Map<string, Submit>();
  /** What only looks for purchases: what it has found counts, and nothing else. */
  const adoptions = new Map<string, Submit>();
  const ended = new Set<Submit>();
  const givenUp: UnknownSubmit[] = [];
  /** Claims that were tried again, as ordinary activities. */
  const claims = new Set<string>();
  let unknownSubmit: UnknownSubmit | undefined;
  for (const event of events) {
    const carried = carriedBy(event);
    if (carried !== undefined) {
      const { taskId, usage, unknown, gaveUp } = carried;
      if (taskId !== undefined && usage !== undefined) usages.set(taskId, usage);
      for (const [vain, end] of carried.ends) ends.set(vain, end);
      if (taskId !== undefined) hold(taskId);
      if (gaveUp !== undefined) givenUp.push({ ...carriedDoubt(gaveUp), inFlight: false, givenUp: true });
      if (unknown !== undefined) unknownSubmit = carriedDoubt(unknown);
      for (const submit of [...givenUp, unknownSubmit]) if (submit !== undefined) ended.add(submit);
      continue;
    }
    for (const vain of passedOver(event)) ends.set(vain, 'in vain');
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled && SUBMITS.has(scheduled.activityType?.name ?? '')) {
      const submit = submitOf(event);
      submits.set(String(event.eventId), submit);
      if (unknownSubmit !== undefined) givenUp.push({ ...unknownSubmit, inFlight: false, givenUp: true });
      unknownSubmit = { ...submit, recorded: false, inFlight: true };
      continue;
    }
    if (scheduled?.activityType?.name === ADOPTION) {
      adoptions.set(String(event.eventId), submitOf(event));
      continue;
    }
    if (scheduled?.activityType?.name === CLAIM) claims.add(String(event.eventId));
    const completed = event.activityTaskCompletedEventAttributes;
    const by = String(completed?.scheduledEventId);
    const submit = submits.get(by) ?? adoptions.get(by);
    if (completed && submit !== undefined) {
      if (submits.has(by)) ended.add(submit);
      const [result] = decode<
        [Partial<SubmitTaskResult & { taskId: string; usage: Usage; result: GenerationResult }>]
      >(completed.result);
      unknownSubmit = result?.kind === 'unknown' ? doubtOf(submit, result) : undefined;
      const taskId = result?.taskId ?? result?.result?.taskId;
      if (typeof taskId === 'string') hold(taskId);
      if (typeof taskId === 'string' && result?.kind === 'accepted' && result.adopted === false)
        bought.add(taskId);
      if (typeof taskId === 'string' && result?.usage !== undefined)
        usages.set(taskId, plainUsage(result.usage));
      continue;
    }
    if (unknownSubmit !== undefined && isClaim(event, claims)) unknownSubmit.claimedAt ??= timeOf(event);
    const timedOut = event.activityTaskTimedOutEventAttributes;
    const lost = submits.get(String(timedOut?.scheduledEventId));
    if (timedOut && lost !== undefined) {
      ended.add(lost);
      unknownSubmit = { ...lost, recorded: true, inFlight: true };
    }
    const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskCanceledEventAttributes;
    const refused = submits.get(String(failed?.scheduledEventId));
    if (failed && refused !== undefined) {
      ended.add(refused);
      unknownSubmit = undefined;
    }
    for (const taskId of searchableTaskIds(event)) {
      hold(taskId);
      unknownSubmit = undefined;
    }
  }
  const { attempts = [] } = toldBy(events);
  for (const [taskId, end] of vainEnds(attempts)) ends.set(taskId, end);
  const [result] = decode<[GenerationResult]>(
    events.at(-1)?.workflowExecutionCompletedEventAttributes?.result,
  );
  const unknownSubmits = unknownSubmit === undefined ? givenUp : [...givenUp, unknownSubmit];
  return {
    taskIds: [...taskIds],
    usages,
    ends,
    bought,
    result,
    unknownSubmits,
    endedSubmits: [...ended],
  };
}

/** The tasks in whose place a submit is to buy another one. */
function passedOver({ activityTaskScheduledEventAttributes: scheduled }: HistoryEvent): string[] {
  if (!SUBMITS.has(scheduled?.activityType?.name ?? '')) return [];
  const [asked] = decode<[Partial<SubmitTaskInput>?]>(scheduled?.input);
  return asked?.settledTaskIds ?? [];
}

/** As its end was told: it may be the doubt about an earlier run's submit, handed on, and has its name and time. */
function doubtOf(submit: Submit, told: Partial<ToldUnknown>): UnknownSubmit {
  const { seed, ...rest } = submit;
  return {
    ...rest,
    ...told.submit,
    since: told.since ?? submit.since,
    ...seedOf(told.seed === undefined ? seed : told.seed),
    ...given({ clockOffset: told.clockOffset }),
    recorded: true,
    inFlight: told.inFlight === true,
    ...(told.claimedAt === undefined ? {} : { claimedAt: told.claimedAt }),
    ...(told.givenUp === true ? { givenUp: true } : {}),
    ...(told.stored === true ? { stored: true } : {}),
  };
}

/** The doubt of a run that went on in this one. */
function carriedDoubt(told: ToldUnknown): UnknownSubmit {
  const { since } = told;
  return doubtOf({ since, scheduledAt: since, activityId: '', runId: undefined }, told);
}

/** Whether a submit of a run, or of the one that it goes on for, has looked into all that it re-ran. */
export function hasLookedBack(events: readonly HistoryEvent[]): boolean {
  const scheduled = new Set(
    events.flatMap(({ eventId, activityTaskScheduledEventAttributes: one }) => {
      const name = one?.activityType?.name ?? '';
      return SUBMITS.has(name) || name === ADOPTION ? [String(eventId)] : [];
    }),
  );
  return events.some((event) => {
    const completed = event.activityTaskCompletedEventAttributes;
    const end = completed ?? event.activityTaskFailedEventAttributes;
    if (!scheduled.has(String(end?.scheduledEventId))) return carriedBy(event)?.lookedBack === true;
    const details =
      completed?.result ?? event.activityTaskFailedEventAttributes?.failure?.applicationFailureInfo?.details;
    const [told] = decode<[LookedBack | null]>(details);
    return told?.lookedBack === true;
  });
}

type Failure = NonNullable<NonNullable<HistoryEvent['markerRecordedEventAttributes']>['failure']>;

/** The end of an activity that has put in a claim; one that was cancelled, or timed out, may have. */
function isClaim(event: HistoryEvent, claims: ReadonlySet<string>): boolean {
  const marker = event.markerRecordedEventAttributes;
  const [told] = decode(marker?.details?.['data']) as [{ activity_type?: unknown } | undefined];
  if (told?.activity_type === CLAIM) return marker?.failure == null || mayHaveDone(marker.failure);
  const timedOut = event.activityTaskTimedOutEventAttributes;
  const { scheduledEventId } =
    event.activityTaskCompletedEventAttributes ?? event.activityTaskCanceledEventAttributes ?? timedOut ?? {};
  return claims.has(String(scheduledEventId)) && (timedOut?.failure == null || mayHaveDone(timedOut.failure));
}

function mayHaveDone({ canceledFailureInfo, timeoutFailureInfo, cause }: Failure): boolean {
  if (timeoutFailureInfo != null) return timeoutFailureInfo.timeoutType !== TIMEOUT_TYPE_SCHEDULE_TO_START;
  return canceledFailureInfo != null || (cause != null && mayHaveDone(cause));
}

function seedOf(seed: unknown): Pick<Submit, 'seed'> {
  return typeof seed === 'number' || seed === 'any' ? { seed } : {};
}

function submitOf(event: HistoryEvent): Submit {
  const scheduledAt = timeOf(event);
  const { activityId, input } = event.activityTaskScheduledEventAttributes ?? {};
  const [asked] = decode<[Partial<SubmitTaskInput>?]>(input);
  const { seed } = (asked?.request as Partial<GenerationRequest> | undefined)?.input ?? {}; // our own submit's
  return { since: scheduledAt, scheduledAt, activityId: activityId ?? '', ...seedOf(asked?.seed ?? seed) };
}
