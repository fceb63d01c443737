import { isRecord } from '../../api/json/is-record.ts';
import { addUsage, NO_USAGE, type Usage, usageOf } from '../../api/records/usage.ts';
import type { RowState } from '../../contract/batch.ts';
import type { PipelineResult, StepProgress, StepResult } from '../../contract/pipeline.ts';
import { isSearchable, NEEDS_A_LOOK, WAITING_FOR_BUDGET } from '../../contract/search-attributes.ts';
import type { Need, Tried } from '../../contract/steps/carried-pipeline.ts';
import type { StepsBought } from '../../contract/steps/step-look.ts';
import { ownCosts, statusOf, whyNot } from '../../contract/steps/step-result.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { LONGEST_NOTE } from './answers.ts';
import { QUESTIONS, questionOf } from './questions.ts';
import { endAt, idOf, isDone, isRunning, itemsOf, pathsOf, type State, stepAt, stepOf } from './state.ts';

/** What needs a look: steps that wait for a person, then generations that have said so; the most urgent first. */
export function needsOf(state: State): [path: string, need: Need][] {
  if (state.ended !== undefined) return [];
  const asked = [...state.steps.keys()].flatMap((name): [string, Need][] => {
    const question = questionOf(state, name);
    if (question === undefined) return [];
    const note = `step ${name}: ${question.why}`.slice(0, LONGEST_NOTE);
    return [[name, { state: QUESTIONS[question.kind].state, note }]];
  });
  const heard = [...state.steps].flatMap(([path, stage]): [string, Need][] =>
    'need' in stage && stage.need !== undefined ? [[path, stage.need]] : [],
  );
  return [...asked, ...heard].toSorted(([, one], [, other]) => rankOf(one) - rankOf(other));
}

/** The most urgent that a person has to look at. */
function urgentNeed(state: State): [path: string, need: Need] | undefined {
  return needsOf(state).find(([, need]) => need.state !== WAITING_FOR_BUDGET);
}

function rankOf({ state }: Need): number {
  const place = NEEDS_A_LOOK.findIndex((one) => one === state);
  return place < 0 ? NEEDS_A_LOOK.length : place;
}

/**
 * What a pipeline is searched by. `DarkroomState` tells of the step that needs a look most. `DarkroomModel` is that
 * step's, else that of the first one that has failed of a pipeline that has ended, else of the first one.
 */
export function searchedBy(state: State): { state: string | null; model: string; workspace: string } {
  // It may not be checked: it is to be found by what is right in it.
  const request: unknown = state.request;
  const { steps, workspace } = isRecord(request) ? request : {};
  const all = isRecord(steps) ? steps : {};
  const names = Object.keys(all);
  const need = urgentNeed(state);
  const hasFailed = (name: string): boolean => isDone(state, name) && statusAt(state, name) !== 'COMPLETED';
  const failed =
    state.ended === undefined || state.ended.kind === 'cancelled' ? undefined : names.find(hasFailed);
  const name = (need === undefined ? failed : stepOf(need[0])) ?? names[0] ?? '';
  const step = Object.hasOwn(all, name) ? all[name] : undefined;
  const model = isRecord(step) ? step['model'] : undefined;
  return {
    state: need?.[1].state ?? null,
    model: isSearchable(model) ? model : '',
    workspace: isSearchable(workspace) ? workspace : DEFAULT_WORKSPACE,
  };
}

/** What a batch is told of its row: what its most urgent step needs, or that one waits for its budget. */
export function toldOf(state: State): Omit<RowState, 'workflowId'> {
  const [path, need] = needsOf(state)[0] ?? [];
  if (path === undefined || need === undefined) return { step: null, asks: null, state: null, note: null };
  return { step: stepOf(path), asks: questionOf(state, path)?.kind ?? null, ...need };
}

/** What something has cost, and what of that is not told by others. */
interface Costs {
  usage: Usage;
  charged: Usage;
}

const NO_COSTS: Costs = { usage: NO_USAGE, charged: NO_USAGE };

/** What everything has cost, each try by itself. */
export function costsIn(state: State): [path: string, costs: Costs][] {
  const last = [...state.steps.keys()].flatMap((path): [string, Costs][] => {
    const end = endAt(state, path);
    return end === undefined ? [] : [[path, ownCosts(end, state.tried.get(path))]];
  });
  return [...state.tried, ...last];
}

export function sumOf(costs: readonly (readonly [string, Costs])[]): Costs {
  return costs.reduce((all, [, one]) => both(all, one), NO_COSTS);
}

/**
 * The same of a run that others came before: what they have bought and not told is its own to tell, whether it is of use
 * to it or not. Of a generation that the server has deleted the pipeline knows alone.
 */
export function costsAfter(state: State, bought: StepsBought): Costs {
  const { toldAt, charged } = bought;
  const byPath = new Map<string, Costs>();
  for (const [path, costs] of costsIn(state)) byPath.set(path, both(byPath.get(path) ?? NO_COSTS, costs));
  const all = new Set([...byPath.keys(), ...Object.keys(charged)]);
  const costs = [...all].map((path): [string, Costs] => {
    const known = byPath.get(path) ?? NO_COSTS;
    const isTold = (endAt(state, path)?.startedAt ?? 0) <= (toldAt ?? -Infinity);
    const own = Object.hasOwn(charged, path) ? charged[path] : undefined;
    const lost = own === undefined ? NO_USAGE : usageOf(lostOf(state, path, bought));
    const untold = addUsage(own ?? (isTold ? NO_USAGE : known.charged), lost);
    return [path, { usage: untold.total > known.usage.total ? untold : known.usage, charged: untold }];
  });
  return sumOf(costs);
}

/**
 * What tries have told whose runs the server has deleted, while it has a later one's: they began before `since`. Of those
 * that were ended from outside it is what they were asked about tasks that no later one has taken over.
 */
function lostOf(
  state: State,
  path: string,
  { toldAt, since = {}, recorded }: StepsBought,
): { usage: Usage }[] {
  const { told = [] } = state.tried.get(path) ?? {};
  const starts = [...told.map(([at]) => at), endAt(state, path)?.startedAt ?? Infinity];
  const lost = told.filter(
    ([at], index) =>
      at > (toldAt ?? -Infinity) && (starts[index + 1] ?? Infinity) <= (since[path] ?? -Infinity),
  );
  const untold =
    recorded === undefined ? [] : [...askedOf(lost)].filter(([taskId]) => !recorded.includes(taskId));
  return [...lost.map(([, usage]) => ({ usage })), ...untold.map(([, usage]) => ({ usage }))];
}

/** What tries that were ended from outside were asked: each task once, though several may have held it. */
const askedOf = (told: NonNullable<Tried['told']>): Map<string, Usage> =>
  new Map(told.flatMap(([, , asked = []]) => asked));

export const askedIn = ({ tried }: Pick<State, 'tried'>): Map<string, Usage> =>
  askedOf([...tried.values()].flatMap(({ told = [] }) => told));

function both(one: Costs, other: Costs): Costs {
  return { usage: addUsage(one.usage, other.usage), charged: addUsage(one.charged, other.charged) };
}

/** What each step is doing, in the order of the request. */
export function stepsIn(state: State): Map<string, StepProgress> {
  if (state.steps.size === 0) return new Map();
  const credits = creditsIn(state);
  const needs = new Map(
    needsOf(state)
      .toReversed()
      .map(([path, need]) => [stepOf(path), need]),
  );
  return new Map(
    Object.keys(state.request.steps).map((name) => {
      const { model } = stepAt(state, name);
      const started = pathsOf(state, name).filter((path) => wasStarted(state, path));
      const workflowIds = started.map((path) => idOf(state, path));
      const spent = credits.get(name);
      const status = statusIn(state, name, workflowIds.length > 0, needs.get(name));
      return [name, { ...status, model, workflowIds, ...(spent === undefined ? {} : { credits: spent }) }];
    }),
  );
}

function statusIn(
  state: State,
  name: string,
  hasStarted: boolean,
  need: Need | undefined,
): Pick<StepProgress, 'status' | 'outcome' | 'needs' | 'note'> {
  const question = questionOf(state, name);
  if (question !== undefined) return { status: question.kind, note: question.why };
  if (isDone(state, name)) {
    const note = whyNot(itemsOf(state, name));
    return { status: 'done', outcome: statusAt(state, name), ...(note === undefined ? {} : { note }) };
  }
  if (state.steps.get(name)?.at === 'blocked') return { status: 'pending' };
  if (!hasStarted)
    return { status: 'pending', note: isQueued(state, name) ? 'waiting for its turn' : 'starting' };
  if (need === undefined) return { status: 'running' };
  return { status: 'running', needs: need.state, ...(need.note === '' ? {} : { note: need.note }) };
}

/** Whether others run first. */
function isQueued(state: State, name: string): boolean {
  return pathsOf(state, name).every((path) => {
    const stage = state.steps.get(path);
    return stage?.at === 'seeking' && stage.place === 'queued';
  });
}

/** Whether a generation of ours runs, or has, for what stands at a path. */
function wasStarted(state: State, path: string): boolean {
  return isRunning(state, path) || endAt(state, path)?.startedAt !== undefined;
}

/** By step, the credits of its generations that have ended, all their tries. */
function creditsIn(state: State): Map<string, number> {
  const credits = new Map<string, number>();
  for (const [path, { usage }] of costsIn(state)) {
    if (endAt(state, path)?.item.status === 'SKIPPED' && !state.tried.has(path)) continue;
    credits.set(stepOf(path), (credits.get(stepOf(path)) ?? 0) + usage.total);
  }
  return credits;
}

/** How a step that is done has ended. */
export const statusAt = (state: State, name: string): StepResult['status'] => stepResult(state, name).status;

/** @param costs as they count for this run */
export function resultOf(state: State, costs: Costs & Pick<PipelineResult, 'boughtNothing'>): PipelineResult {
  const steps = Object.keys(state.request.steps).map((name) => [name, stepResult(state, name)] as const);
  return {
    status: statusOf(steps.map(([, step]) => step)),
    steps: Object.fromEntries(steps),
    ...costs,
  };
}

function stepResult(state: State, name: string): StepResult {
  const items = itemsOf(state, name);
  const [only] = items;
  if (!state.fans.has(name) && only !== undefined) return only;
  return { status: statusOf(items), workflowId: null, items };
}
