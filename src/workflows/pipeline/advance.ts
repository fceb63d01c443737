import type { StepStage } from '../../contract/steps/carried-pipeline.ts';
import { retried } from './answers.ts';
import { endAt, failedOf, haveItemsEnded, isDone, isToBeHeld, pathsOf, put, type State } from './state.ts';

/** So many generations of a pipeline run at once: their results come to its history, which may have 50 MB. */
const SIDE_BY_SIDE = 100;

/** What is true of a pipeline by itself, once something has happened: who is next, what is held. */
export function advanced(state: State): State {
  return promoted(queued(held(state)));
}

/** Whether all steps have ended. */
export function isOver(state: State): boolean {
  return state.steps.size > 0 && Object.keys(state.request.steps).every((name) => isDone(state, name));
}

/** Paths of stages that have something to do or to wait for, beside the steps before them and their turn. */
export function whatGoesOn(state: State): string[] {
  return [...state.steps].flatMap(([path, stage]) => (goesOn(state, stage) ? path : []));
}

function goesOn(state: State, stage: StepStage): boolean {
  if (stage.at === 'blocked') return stage.needs.every((need) => isDone(state, need));
  if (stage.at === 'seeking') return stage.place === 'looking';
  return stage.at !== 'fanned' && stage.at !== 'done';
}

/** A step is tried as earlier runs went on, or a person is asked. */
function held(state: State): State {
  let next = state;
  for (const [name, stage] of state.steps) {
    const isFanned = stage.at === 'fanned' && stage.isDecided !== true;
    if (isFanned && haveItemsEnded(state, name) && isToBeHeld(state, name))
      next = put(next, [name, { at: 'held' }]);
    if (next.steps.get(name)?.at !== 'held') continue;
    const inputs = failedOf(next, name).map((path) => endAt(next, path)?.next);
    if (!inputs.includes(undefined)) next = retried(next, name, inputs[0]);
  }
  return next;
}

/** The items of a step that is fanned out wait for their turn. */
function queued(state: State): State {
  const items = [...state.steps]
    .filter(([, stage]) => stage.at === 'fanned')
    .flatMap(([name]) => pathsOf(state, name).filter((path) => !state.steps.has(path)));
  const first = nextTurn(state);
  return put(
    state,
    ...items.map((path, index): [string, StepStage] => [
      path,
      { at: 'seeking', place: 'queued', turn: first + index },
    ]),
  );
}

/** Who has waited longest is next, while there is room. */
function promoted(state: State): State {
  const waiting: [path: string, turn: number][] = [];
  let active = 0;
  for (const [path, stage] of state.steps) {
    if (stage.at === 'seeking' && stage.place === 'queued') waiting.push([path, stage.turn]);
    else if (stage.at === 'seeking' || stage.at === 'starting' || stage.at === 'following') active += 1;
  }
  const next = waiting
    .toSorted(([, one], [, other]) => one - other)
    .slice(0, Math.max(0, SIDE_BY_SIDE - active));
  return put(
    state,
    ...next.map(([path, turn]): [string, StepStage] => [path, { at: 'seeking', place: 'looking', turn }]),
  );
}

/** For who comes now. */
export function nextTurn({ steps }: State): number {
  let last = 0;
  for (const stage of steps.values()) if (stage.at === 'seeking') last = Math.max(last, stage.turn);
  return last + 1;
}
