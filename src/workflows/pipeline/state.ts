import type { Usage } from '../../api/records/usage.ts';
import type { PipelineRequest, PipelineResult, PipelineStep, StepItem } from '../../contract/pipeline.ts';
import type {
  CarriedPipeline,
  ReplacedInput,
  StepEnd,
  StepStage,
  Tried,
} from '../../contract/steps/carried-pipeline.ts';
import { findReferences, stepsOf } from '../../contract/steps/references.ts';
import { endOf } from '../../contract/steps/room.ts';
import { generationId } from '../../contract/steps/step-ids.ts';

/** How a pipeline has ended. */
export type PipelineEnded =
  | { kind: 'completed'; status: string; charged: Usage }
  | { kind: 'failed'; type: string; message: string; charged: Usage; details?: PipelineResult }
  | { kind: 'cancelled' };

/** All that a pipeline knows: see `CarriedPipeline`, which is the same as JSON. Never changed: another takes its place. */
export interface State extends Pick<CarriedPipeline, 'asked' | 'runsAgain'> {
  /** Whether something that has ended in this run has bought a task, or may have, be it followed by another try or skipped. */
  readonly mayHaveBought: boolean;
  readonly id: string;
  /** As it was asked for. Before its check anything may be wrong with it, and there are no steps. */
  readonly request: PipelineRequest;
  readonly steps: ReadonlyMap<string, StepStage>;
  readonly fans: ReadonlyMap<string, readonly (number | null)[]>;
  readonly inputs: ReadonlyMap<string, ReplacedInput>;
  readonly tried: ReadonlyMap<string, Tried>;
  readonly ended?: PipelineEnded;
}

/** What becomes of a state: many things happen at once, and each is true of the state that it meets. */
export type Change = (state: State) => State;

/** A pipeline of which nothing is known yet. */
export function unknown(id: string, request: PipelineRequest): State {
  const maps = { steps: new Map(), fans: new Map(), inputs: new Map(), tried: new Map() };
  return { id, request, ...maps, asked: [], runsAgain: false, mayHaveBought: false };
}

/** Its request is checked: each step waits for what it refers to. */
export function begun(state: State, runsAgain: boolean): State {
  const next = { ...state, runsAgain };
  return Object.keys(state.request.steps).reduce((all, name) => blocked(all, name), next);
}

/** A step waits for what its input refers to. */
export function blocked(state: State, name: string, isApproved = false): State {
  const needs = stepsOf(
    findReferences([stepAt(state, name).input, ...earlierInputs(state, name)], '').references,
  );
  return put(state, [name, { at: 'blocked', needs, ...(isApproved ? { isApproved } : {}) }]);
}

/** `<step>` of `<step>/<index>`. */
export function stepOf(path: string): string {
  const [name = path] = path.split('/', 1);
  return name;
}

/** The stages with others at some paths; `undefined`: none any more. */
export function put(state: State, ...changes: (readonly [string, StepStage | undefined])[]): State {
  if (changes.length === 0) return state;
  const steps = new Map(state.steps);
  for (const [path, stage] of changes) {
    if (stage === undefined) steps.delete(path);
    else steps.set(path, stage);
  }
  return { ...state, steps };
}

/** The step of a path, as people want it by now. */
export function stepAt({ request, inputs }: State, path: string): PipelineStep {
  const name = stepOf(path);
  const step = Object.hasOwn(request.steps, name) ? request.steps[name] : undefined;
  if (step === undefined) throw new Error(`no step ${name}`); // names come from the request
  const replaced = inputs.get(name);
  return replaced === undefined ? step : { ...step, input: replaced.input };
}

/** Inputs that a step had in the pipeline that is reused: what they have bought is looked for, too. */
export function earlierInputs({ request, inputs }: State, name: string): Record<string, unknown>[] {
  const { earlierInputs: all = {} } = request;
  return (!inputs.has(name) && Object.hasOwn(all, name) && all[name]) || [];
}

/** The request with an input that a person wants for a step. */
export function requestWith(state: State, name?: string, input?: Record<string, unknown>): PipelineRequest {
  const steps = Object.keys(state.request.steps).map((one) => {
    const step = stepAt(state, one);
    return [one, one === name && input !== undefined ? { ...step, input } : step];
  });
  return { ...state.request, steps: Object.fromEntries(steps) };
}

/** The workflow id of a generation: named by what it buys. */
export function idOf({ id, inputs }: State, path: string): string {
  const given = inputs.get(stepOf(path))?.given;
  return generationId(id, path, given?.last === given?.first ? undefined : given?.last);
}

/** The paths of a step's generations, in their order: its own, or its items'. */
export function pathsOf({ fans }: State, name: string): string[] {
  const positions = fans.get(name);
  if (positions === undefined) return [name];
  return positions.flatMap((position, index) => (position === null ? [] : `${name}/${index}`));
}

/** How what stands at a path has ended. */
export function endAt({ steps }: State, path: string): StepEnd | undefined {
  return endOf(steps.get(path));
}

/** How a step's generations have ended, as far as they have. */
export function itemsOf(state: State, name: string): StepItem[] {
  return pathsOf(state, name).flatMap((path) => endAt(state, path)?.item ?? []);
}

/** A step's generations that have failed. */
export function failedOf(state: State, name: string): string[] {
  return pathsOf(state, name).filter((path) => endAt(state, path)?.item.status === 'FAILED');
}

/** Whether all of a fanned-out step's items have ended. */
export function haveItemsEnded(state: State, name: string): boolean {
  return pathsOf(state, name).every((path) => state.steps.get(path)?.at === 'done');
}

/** Whether a person decides about a step that has failed. */
export function isToBeHeld(state: State, name: string): boolean {
  return stepAt(state, name).onFailure === 'hold' && failedOf(state, name).length > 0;
}

/** Whether a step has ended, for those that refer to it. */
export function isDone(state: State, name: string): boolean {
  const stage = state.steps.get(name);
  if (stage?.at !== 'fanned') return stage?.at === 'done';
  return haveItemsEnded(state, name) && (stage.isDecided === true || !isToBeHeld(state, name));
}

/** Its generation runs: what it has said that it needs stays true. */
export function following(state: State, path: string): State {
  const stage = state.steps.get(path);
  const need = stage !== undefined && 'need' in stage ? stage.need : undefined;
  return put(state, [path, { at: 'following', need }]);
}

/** Whether a generation has been started and has not ended. */
export function isRunning({ steps }: State, path: string): boolean {
  const at = steps.get(path)?.at;
  return at === 'starting' || at === 'following';
}
