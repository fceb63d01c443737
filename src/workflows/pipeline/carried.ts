import { jsonBytes } from '../../contract/json-bytes.ts';
import { MOST_RESULT_BYTES } from '../../contract/limits.ts';
import { carriedEnd, ownEnd } from '../../contract/steps/carried-end.ts';
import type { CarriedPipeline, StepStage } from '../../contract/steps/carried-pipeline.ts';
import { endOf, fitted, withEnd } from '../../contract/steps/room.ts';
import { blocked, type State } from './state.ts';

/** Bytes of all that a run hands on to the next one: Temporal takes 2 MB. */
const MOST_HANDED_ON = 2_000_000;

/** A state for the next run. What was not started is looked for and asked for anew there. */
export function carry(state: State): CarriedPipeline {
  const steps = new Map<string, StepStage>();
  for (const [path, stage] of state.steps) {
    const carried = carriedStage(state, path, stage);
    if (carried !== undefined) steps.set(path, carried);
  }
  const others = {
    fans: [...state.fans],
    inputs: [...state.inputs],
    asked: state.asked,
    tried: [...state.tried],
    runsAgain: state.runsAgain,
  };
  const rest = [...steps].filter(([, stage]) => endOf(stage) === undefined);
  const room = Math.min(MOST_RESULT_BYTES, MOST_HANDED_ON - jsonBytes([state.request, others, rest]));
  const fitting = [...fitted(steps, room)].map(([path, stage]): [string, StepStage] => {
    const { sizes: _, ...end } = endOf(stage) ?? {};
    return [path, 'item' in end ? withEnd(stage, end) : stage];
  });
  return { ...others, steps: fitting };
}

/** The state that a run was handed on. @param state of which nothing is known yet */
export function carriedState(state: State, carried: CarriedPipeline): State {
  const steps = carried.steps.map(([path, stage]) => {
    const end = endOf(stage);
    return [path, end === undefined ? stage : withEnd(stage, ownEnd(state.id, path, end))] as const;
  });
  const next: State = {
    ...state,
    ...carried,
    steps: new Map(steps),
    fans: new Map(carried.fans),
    inputs: new Map(carried.inputs),
    tried: new Map(carried.tried),
  };
  return steps.reduce(
    (all, [name, stage]) => (stage.at === 'blocked' ? blocked(all, name, stage.isApproved) : all),
    next,
  );
}

/** @returns undefined for an item that was not started: its step knows of it */
function carriedStage(state: State, path: string, stage: StepStage): StepStage | undefined {
  const end = endOf(stage);
  if (end !== undefined) return withEnd(stage, carriedEnd(state.id, path, end));
  const isUnstarted = stage.at === 'seeking' || stage.at === 'starting';
  if (isUnstarted) return path.includes('/') ? undefined : { at: 'blocked', needs: [], isApproved: true };
  return stage.at === 'blocked' ? { ...stage, needs: [] } : stage;
}
