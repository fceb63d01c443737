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
import type { Parked, Stage, Storing } from './stage.ts';
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

/** While what was decided is being done, or what was bought since looked for, nobody is asked. */
export function stateOf(state: State): GenerationState {
  const { stage, looksBack } = state;
  // What a rule refuses, or has gone, is looked at once more at once: that is no storing yet.
  if (stage.at === 'store' && stage.report.kind !== 'delayed') return 'waiting';
  const isAsked = pendingDecision(state) === undefined && looksBack !== true && !isLookedAt(state);
  if (isAsked || stage.at !== 'ask') return STATES[stage.at];
  return 'search' in stage ? 'reconciling' : 'waiting';
}

const STATES: Readonly<Record<Stage['at'], GenerationState>> = {
  submit: 'submitting',
  park: 'parked',
  reconcile: 'reconciling',
  ask: 'needs a decision',
  wait: 'waiting',
  store: 'storing',
  done: 'done',
};

/** What a person has to see, in the words it is searched by; or that it waits for its budget. */
export function needOf(state: State): string | undefined {
  const { stage, looksBack, heard } = state;
  const { heldUp } = heard;
  if (looksBack === true || isLookedAt(state)) return undefined;
  if (stage.at === 'submit') return heldUp && (heldUp.by === 'budget' ? WAITING_FOR_BUDGET : SUBMIT_HELD_UP);
  if (stage.at === 'wait') return stage.unread?.isShown === true ? 'record cannot be read' : undefined;
  if (stage.at === 'store') return isHeldUp(stage) ? 'storing is held up' : undefined;
  if (stage.at === 'park') return 'waiting for credits';
  return stage.at === 'ask' ? 'needs a decision' : undefined;
}

/** The value of `DarkroomState`. */
export function searchedBy(state: State): string | undefined {
  const again = state.stage.at === 'submit' && state.attempts.length > 0;
  const need = needOf(state);
  return (need === WAITING_FOR_BUDGET ? undefined : need) ?? (again ? SUBMITTING_AGAIN : undefined);
}

const LOOKING_BACK = 'looking for what earlier runs have bought';

/** What holds the run up, in words; undefined: nothing does. */
export function noteOf(state: State): string | undefined {
  const { stage, heard, looksBack } = state;
  if (looksBack === true) return LOOKING_BACK;
  switch (stage.at) {
    case 'submit':
      if (heard.heldUp !== undefined) return noteOfSubmit(heard.heldUp, state.gaveUp !== undefined);
      return stage.pause?.why ?? (stage.isRerun ? LOOKING_BACK : undefined);
    case 'park':
      return noteOfParking(stage);
    case 'reconcile': {
      const { search, why, pause } = stage;
      const within = pause === 0 ? 'looking for it' : `looking for the task for ${formatDuration(pause)}`;
      return `${search.unknown.reason}; ${why === undefined ? within : `${why}: looking on for ${formatDuration(pause)}`}`;
    }
    case 'ask': {
      if ('wait' in stage) return stage.why;
      const { reason, balance } = stage.search.unknown;
      return `${reason}${describeBalance(balance)}. ${stage.why ?? 'Nobody can tell whether a task was bought'}`;
    }
    case 'wait': {
      const { missing, unread, task } = stage;
      if (unread !== undefined) return `cannot read the record: ${unread.reason}`;
      if (missing === undefined) return undefined;
      const { wait } = policyOf(state).vanished;
      return `the API does not know task ${task.taskId}; trying for ${formatDuration(wait)}`;
    }
    case 'store':
      return noteOfStoring(stage);
    case 'done':
      break;
  }
  const { end, task } = stage;
  if (end.kind !== 'cancelled' || task === undefined) return undefined;
  return `cancelled; task ${task.taskId} goes on at the API, and a Reset adopts it`;
}

function noteOfSubmit({ by, reason }: NonNullable<State['heard']['heldUp']>, hasGivenUp: boolean): string {
  const how = by === 'budget' ? 'it is submitted once there is room' : 'the submit is tried again and again';
  const unless = hasGivenUp ? ', unless the task of its lost submit turns up' : '';
  return `${how}${unless}: ${reason}`;
}

function noteOfParking({ end: { message }, available, price, nextAt }: Parked): string {
  if (nextAt === undefined) return message;
  const needs = price === undefined ? 'needs credits, how many is not known' : `needs ${price} credits`;
  const has = available === undefined ? 'the balance cannot be read now' : `${available} are available`;
  return `${message.replace(/\.$/, '')}; ${needs}, ${has}; looks again by ${new Date(nextAt).toISOString()}`;
}

/** The balance around a submit, in words that go on. */
function describeBalance({ before, after }: BalanceEvidence = {}): string {
  if (before === undefined && after === undefined) return '';
  const tell = (reading?: BalanceReading): string =>
    reading === undefined ? 'not known' : `${reading.available} at ${new Date(reading.at).toISOString()}`;
  const less = before && after ? `, difference: ${before.available - after.available}` : '';
  return `; credits before: ${tell(before)}, after: ${tell(after)}${less}`;
}

/** Of itself that it takes longer is no trouble: nobody has to search for such a run, but whoever looks sees it. */
function isHeldUp({ report, tries }: Storing): boolean {
  return report.kind === 'delayed' && tries >= STORING_SHOWN_FROM;
}

function noteOfStoring(stage: Storing): string | undefined {
  const { report, lostWorkers, pause } = stage;
  if (report.kind !== 'delayed') return undefined;
  if (!isHeldUp(stage)) return `the files are being stored: ${report.reason}`;
  return endsWorkers(stage)
    ? `storing the files has ended ${lostWorkers} workers (${report.reason}): not tried again before checkNow`
    : `the files are not stored yet: ${report.reason}; next try in ${formatDuration(pause)}, or by checkNow`;
}

/** What a person can decide: to buy again only where anything may be bought. */
export function decisionsFor({ adoptOnly }: GenerationRequest): Decision['action'][] {
  return DECISIONS.filter((action) => action !== 'resubmit' || adoptOnly === undefined);
}

export function progressOf(state: State, request: GenerationRequest): Progress {
  const { stage } = state;
  const isLimited = stateOf(state) === 'needs a decision' && request.adoptOnly !== undefined;
  return {
    state: stateOf(state),
    taskId: tasksOf(state).at(-1) ?? null,
    attempts: attemptsOf(state),
    usage: usageOf(state),
    nextPollAt: stage.at === 'wait' ? new Date(stage.nextAt).toISOString() : null,
    trouble: noteOf(state) ?? null,
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
