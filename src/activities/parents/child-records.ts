import { defaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { StepFailure } from '../../contract/pipeline.ts';
import type { Origins } from '../../contract/purchases/origins.ts';
import { ownEnd } from '../../contract/steps/carried-end.ts';
import type { CarriedPipeline } from '../../contract/steps/carried-pipeline.ts';
import { endOf } from '../../contract/steps/room.ts';
import { stepFailure } from '../../contract/steps/step-failure.ts';
import { generationId } from '../../contract/steps/step-ids.ts';
import {
  type GenerationLook,
  type LookedAt,
  MAY_BE_MORE,
  type PipelineLook,
  type PipelineLookedAt,
} from '../../contract/steps/step-look.ts';
import { decode, decodeFields, type HistoryEvent, timeOf } from '../../temporal/history.ts';
import { originsOf } from '../../temporal/reuse/same-step.ts';

/** How a child has ended: what it has made, or why it has failed. */
export type ChildEnd = { result: unknown } | { failure: StepFailure };

/** What a history tells of one run of a child. */
export interface ChildRecord {
  workflowId: string;
  /** Undefined where the history does not tell. */
  runId: string | undefined;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** What it was started with; undefined where the history does not tell. */
  request: unknown;
  origins: Origins;
  /** Undefined where nobody has written it down. */
  end: ChildEnd | undefined;
}

/** What a history tells of children. */
export interface ChildRecords {
  /** In the order in which they were started. */
  records: ChildRecord[];
  /** The ids that a survey of earlier runs found; undefined where none was made that could know all. */
  surveyed: Set<string> | undefined;
}

const LOOKS: ReadonlySet<string> = new Set<keyof DarkroomActivities>(['lookAtGeneration', 'lookAtPipeline']);
const SURVEY = 'surveySteps' satisfies keyof DarkroomActivities;

/**
 * Reads what a workflow's history tells of its children: those that it has started, those that it has looked at, and
 * those that the run before it has handed on to it.
 *
 * @param parentId the workflow's
 * @param only of that child alone; of all when absent
 */
export function readChildren(events: readonly HistoryEvent[], parentId: string, only?: string): ChildRecords {
  const isAsked = (workflowId: unknown): workflowId is string =>
    typeof workflowId === 'string' && (only === undefined || workflowId === only);
  const records = new Map<string, ChildRecord>();
  const looks = new Map<string, GenerationLook | PipelineLook>();
  const surveys = new Set<string>();
  let surveyed: Set<string> | undefined;
  for (const record of handedOn(events, parentId))
    if (isAsked(record.workflowId)) records.set(record.workflowId, record);
  for (const event of events) {
    const id = String(event.eventId);
    const initiated = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (initiated && isAsked(initiated.workflowId)) {
      const [request]: unknown[] = decode(initiated.input);
      const { origins } = initiated.memo?.fields ?? {};
      records.set(id, {
        workflowId: initiated.workflowId,
        runId: undefined,
        startedAt: timeOf(event),
        request,
        origins: originsOf(origins ? decodeFields({ origins }) : {}),
        end: undefined,
      });
    }
    const started = event.childWorkflowExecutionStartedEventAttributes;
    const of = records.get(String(started?.initiatedEventId));
    if (started && of) of.runId = started.workflowExecution?.runId ?? undefined;
    const refused = event.startChildWorkflowExecutionFailedEventAttributes;
    if (refused) records.delete(String(refused.initiatedEventId));
    const [initiator, end] = endIn(event) ?? [];
    const ended = records.get(String(initiator));
    if (ended) ended.end = end;

    const scheduled = event.activityTaskScheduledEventAttributes;
    const activity = scheduled?.activityType?.name ?? '';
    if (activity === SURVEY) surveys.add(id);
    if (LOOKS.has(activity)) {
      const [look] = decode(scheduled?.input) as [GenerationLook | PipelineLook];
      if (isAsked(look.workflowId)) looks.set(id, look);
    }
    const completed = event.activityTaskCompletedEventAttributes;
    const by = String(completed?.scheduledEventId);
    const look = looks.get(by);
    if (completed && look !== undefined) {
      const [found] = decode(completed.result) as [LookedAt | PipelineLookedAt];
      const record = lookedAt(look, found, timeOf(event));
      if (record !== undefined) records.set(id, record);
    }
    if (completed && surveys.has(by)) {
      const [found] = decode(completed.result) as [[path: string][]];
      const paths = found.map(([path]) => path);
      if (!paths.includes(MAY_BE_MORE)) surveyed = new Set(paths.map((path) => generationId(parentId, path)));
    }
  }
  return { records: merged([...records.values()]), surveyed };
}

/** A run of a child once, whoever tells of it: where its end is known, with that. */
export function merged(records: readonly ChildRecord[]): ChildRecord[] {
  const byRun = new Map<string, ChildRecord>();
  for (const [index, record] of records.entries()) {
    const key = record.runId ?? `${record.workflowId} ${index}`;
    const before = byRun.get(key);
    byRun.delete(key);
    byRun.set(
      key,
      before === undefined ? record : { ...record, ...before, end: tellingMore(before.end, record.end) },
    );
  }
  return [...byRun.values()];
}

/** An end from outside has no details before somebody has looked. */
function tellingMore(one: ChildEnd | undefined, other: ChildEnd | undefined): ChildEnd | undefined {
  const isBare = other === undefined || ('failure' in other && other.failure.details === null);
  return isBare ? (one ?? other) : other;
}

function endIn(event: HistoryEvent): [initiatedEventId: unknown, end: ChildEnd] | undefined {
  const completed = event.childWorkflowExecutionCompletedEventAttributes;
  if (completed) return [completed.initiatedEventId, { result: decode(completed.result)[0] }];
  const failed = event.childWorkflowExecutionFailedEventAttributes;
  if (failed) {
    const cause =
      failed.failure && defaultFailureConverter.failureToError(failed.failure, defaultPayloadConverter);
    return [failed.initiatedEventId, { failure: stepFailure(cause) }];
  }
  const canceled = event.childWorkflowExecutionCanceledEventAttributes;
  if (canceled) return [canceled.initiatedEventId, endedFromOutside('CancelledFailure', 'was cancelled')];
  const terminated = event.childWorkflowExecutionTerminatedEventAttributes;
  if (terminated)
    return [terminated.initiatedEventId, endedFromOutside('TerminatedFailure', 'was terminated')];
  const timedOut = event.childWorkflowExecutionTimedOutEventAttributes;
  if (timedOut) return [timedOut.initiatedEventId, endedFromOutside('TimeoutFailure', 'ran out of time')];
  return undefined;
}

function endedFromOutside(type: string, message: string): ChildEnd {
  return { failure: { type, message, details: null } };
}

/** What a look of the workflow has told; undefined where it told of no run that counts. */
function lookedAt(
  look: GenerationLook | PipelineLook,
  found: LookedAt | PipelineLookedAt,
  at: number,
): ChildRecord | undefined {
  if (found.kind === 'missing' || found.kind === 'different') return undefined;
  const isOfGeneration = 'model' in look;
  const other = 'other' in found ? found.other : undefined;
  const { model, input, templateId, workspace } = isOfGeneration ? look : ({} as Partial<GenerationLook>);
  return {
    workflowId: look.workflowId,
    runId: 'runId' in found ? found.runId : undefined,
    startedAt: 'startedAt' in found ? found.startedAt : at,
    request: isOfGeneration ? { model, input: other?.input ?? input, templateId, workspace } : look.request,
    origins: other?.origins ?? (isOfGeneration ? (look.origins ?? {}) : {}),
    end:
      found.kind === 'running'
        ? undefined
        : found.kind === 'completed'
          ? { result: found.result }
          : { failure: found.failure },
  };
}

/** A pipeline that has continued as new was told how generations had ended, but not with what they were started. */
function handedOn([start]: readonly HistoryEvent[], pipelineId: string): ChildRecord[] {
  const attributes = start?.workflowExecutionStartedEventAttributes;
  if (start === undefined || attributes?.workflowType?.name !== 'pipeline') return [];
  const [, carried] = decode(attributes.input) as [unknown, Partial<CarriedPipeline> | undefined];
  const settled = (carried?.steps ?? []).flatMap(([path, stage]) => {
    const end = endOf(stage);
    return end === undefined ? [] : (ownEnd(pipelineId, path, end).item.workflowId ?? []);
  });
  const tried = (carried?.tried ?? []).map(([path]) => generationId(pipelineId, path));
  return [...new Set([...settled, ...tried])].map((workflowId) => ({
    workflowId,
    runId: undefined,
    startedAt: timeOf(start),
    request: undefined,
    origins: {},
    end: undefined,
  }));
}
