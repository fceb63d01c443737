import {
  DECISIONS,
  type Decision,
  type GenerationRequest,
  type GenerationResult,
  type GenerationState,
  type Progress,
} from '../../contract/generation.ts';
import { SUBMIT_HELD_UP, SUBMITTING_AGAIN, WAITING_FOR_BUDGET } from '../../contract/search-attributes.ts';
import type { BalanceEvidence, BalanceReading } from '../../contract/tasks/submit-task.ts';
import { formatDuration } from '../../policy/duration.ts';
import { attemptsOf, heldTask, tasksOf, usageOf } from './attempts.ts';
import type { AskingAboutSubmit, Parked, Storing } from './stage.ts';
import { type HeardDecision, isLookedAt, policyOf, type Run, type State } from './state.ts';

// What others see of a run, as pure functions of what it knows: nothing of this is kept apart.

/** From this try on people are told that storing is held up: files may lag behind their record for a moment. */
const STORING_SHOWN_FROM = 2;

/** A file that has ended its worker so often is not tried again before a person says so. */
const MAX_LOST_WORKERS = 2;

export const endsWorkers = ({ lostWorkers }: Storing): boolean => lostWorkers >= MAX_LOST_WORKERS;

/** The decision that is to be done: while a person is asked, one at a time. */
export function pendingDecision({ stage, heard, decided }: State): HeardDecision | undefined {
  return stage.at === 'ask' && heard.decisions.count > decided.count ? heard.decisions.latest : undefined;
}

/**
 * `need`: what a person has to see, in the words it is searched by, or that it waits for its budget; `note`: what holds it
 * up, in words.
 */
export interface View {
  state: GenerationState;
  need?: string | undefined;
  note?: string | undefined;
}

const LOOKING_BACK = 'looking for what earlier runs have bought';

/** What is seen of a run. */
export function viewOf(state: State): View {
  const view = viewOfStage(state);
  return state.looksBack === true ? { state: view.state, note: LOOKING_BACK } : view;
}

function viewOfStage(state: State): View {
  const { stage, heard, looksBack } = state;
  switch (stage.at) {
    case 'submit':
      if (heard.heldUp !== undefined) return viewOfHeldUp(heard.heldUp, state.gaveUp !== undefined);
      return { state: 'submitting', note: stage.pause?.why ?? (stage.isRerun ? LOOKING_BACK : undefined) };
    case 'park':
      return { state: 'parked', need: 'waiting for credits', note: noteOfParking(stage) };
    case 'reconcile': {
      const { search, why, pause } = stage;
      const within = pause === 0 ? 'looking for it' : `looking for the task for ${formatDuration(pause)}`;
      const how = why === undefined ? within : `${why}: looking on for ${formatDuration(pause)}`;
      return { state: 'reconciling', note: `${search.unknown.reason}; ${how}` };
    }
    case 'ask': {
      // While what was decided is being done, or what was bought since looked for, nobody is asked.
      const isLooking = isLookedAt(state);
      const isAsked = !isLooking && looksBack !== true && pendingDecision(state) === undefined;
      const meanwhile = 'search' in stage ? 'reconciling' : 'waiting';
      return {
        state: isAsked ? 'needs a decision' : meanwhile,
        need: isLooking ? undefined : 'needs a decision',
        note: 'search' in stage ? questionOf(stage) : stage.why,
      };
    }
    case 'wait': {
      const { missing, unread, task } = stage;
      const { taskId } = task;
      const gone =
        missing &&
        `the API does not know task ${taskId}; trying for ${formatDuration(policyOf(state).vanished.wait)}`;
      const need = unread?.isShown === true ? 'record cannot be read' : undefined;
      const note = unread === undefined ? gone : `cannot read the record: ${unread.reason}`;
      return { state: 'waiting', need, note };
    }
    case 'store':
      return viewOfStoring(stage);
    case 'done':
      break;
  }
  const { end, task } = stage;
  const left = end.kind === 'cancelled' ? task : undefined;
  const note = left && `cancelled; task ${left.taskId} goes on at the API, and a Reset adopts it`;
  return { state: 'done', note };
}

/** The value of `DarkroomState`. */
export function searchedBy(state: State): string | undefined {
  const again = state.stage.at === 'submit' && state.attempts.length > 0;
  const { need } = viewOf(state);
  return (need === WAITING_FOR_BUDGET ? undefined : need) ?? (again ? SUBMITTING_AGAIN : undefined);
}

function viewOfHeldUp({ by, reason }: NonNullable<State['heard']['heldUp']>, hasGivenUp: boolean): View {
  const isBudget = by === 'budget';
  const how = isBudget ? 'it is submitted once there is room' : 'the submit is tried again and again';
  const unless = hasGivenUp ? ', unless the task of its lost submit turns up' : '';
  const need = isBudget ? WAITING_FOR_BUDGET : SUBMIT_HELD_UP;
  return { state: 'submitting', need, note: `${how}${unless}: ${reason}` };
}

function noteOfParking({ end: { message }, available, price, nextAt }: Parked): string {
  if (nextAt === undefined) return message;
  const needs = price === undefined ? 'needs credits, how many is not known' : `needs ${price} credits`;
  const has = available === undefined ? 'the balance cannot be read now' : `${available} are available`;
  return `${message.replace(/\.$/, '')}; ${needs}, ${has}; looks again by ${new Date(nextAt).toISOString()}`;
}

function questionOf({ search: { unknown }, why }: AskingAboutSubmit): string {
  const { reason, balance } = unknown;
  return `${reason}${describeBalance(balance)}. ${why ?? 'Nobody can tell whether a task was bought'}`;
}

/** The balance around a submit, in words that go on. */
function describeBalance({ before, after }: BalanceEvidence = {}): string {
  if (before === undefined && after === undefined) return '';
  const tell = (reading?: BalanceReading): string =>
    reading === undefined ? 'not known' : `${reading.available} at ${new Date(reading.at).toISOString()}`;
  const less = before && after ? `, difference: ${before.available - after.available}` : '';
  return `; credits before: ${tell(before)}, after: ${tell(after)}${less}`;
}

function viewOfStoring(stage: Storing): View {
  const { report, lostWorkers, pause, tries } = stage;
  // What a rule refuses, or has gone, is looked at once more at once: that is no storing yet.
  if (report.kind !== 'delayed') return { state: 'waiting' };
  // Of itself that it takes longer is no trouble: nobody has to search for such a run, but whoever looks sees it.
  if (tries < STORING_SHOWN_FROM)
    return { state: 'storing', note: `the files are being stored: ${report.reason}` };
  const note = endsWorkers(stage)
    ? `storing the files has ended ${lostWorkers} workers (${report.reason}): not tried again before checkNow`
    : `the files are not stored yet: ${report.reason}; next try in ${formatDuration(pause)}, or by checkNow`;
  return { state: 'storing', need: 'storing is held up', note };
}

/** What a person can decide: to buy again only where anything may be bought. */
export function decisionsFor({ adoptOnly }: GenerationRequest): Decision['action'][] {
  return DECISIONS.filter((action) => action !== 'resubmit' || adoptOnly === undefined);
}

export function progressOf(state: State, request: GenerationRequest): Progress {
  const { stage } = state;
  const { state: shown, note } = viewOf(state);
  const isLimited = shown === 'needs a decision' && request.adoptOnly !== undefined;
  return {
    state: shown,
    taskId: tasksOf(state).at(-1) ?? null,
    attempts: attemptsOf(state),
    usage: usageOf(state),
    nextPollAt: stage.at === 'wait' ? new Date(stage.nextAt).toISOString() : null,
    trouble: note ?? null,
    ...(isLimited ? { decisions: decisionsFor(request) } : {}),
  };
}

/**
 * What a cancelled run leaves in its memo, once it is known: Temporal keeps no details of a cancellation. A step's is
 * charged to its pipeline, or to the run that goes on: a pipeline that is cancelled as well tells nothing.
 */
export function memoOf({ isStep }: Pick<Run, 'isStep'>, state: State) {
  const { stage } = state;
  if (stage.at !== 'done' || stage.end.kind !== 'cancelled' || stage.charged === undefined) return undefined;
  const { charged, ...told } = billOf(state);
  return { taskId: stage.task?.taskId ?? null, ...told, ...(isStep ? {} : { charged }) };
}

/** The task that the run is searchable by. */
export function searchableTask(state: State): string | undefined {
  const { stage } = state;
  if (stage.at === 'done' && stage.end.kind === 'completed') return stage.end.result.taskId;
  return heldTask(state)?.taskId;
}

/** What a result, and a failure, counts. */
export function billOf(state: State): Pick<GenerationResult, 'attempts' | 'usage' | 'charged'> {
  const { stage } = state;
  const usage = usageOf(state);
  const { charged = usage } = stage.at === 'done' ? stage : {};
  return { attempts: attemptsOf(state), usage, charged };
}
