import { digestOf } from '../../api/input/field-digests.ts';
import { addUsage, NO_USAGE } from '../../api/records/usage.ts';
import type { StepState } from '../../contract/pipeline.ts';
import { askedOf } from '../../contract/purchases/told-by-end.ts';
import type { ReplacedInput, Tried } from '../../contract/steps/carried-pipeline.ts';
import { fansOut } from '../../contract/steps/references.ts';
import { ownCosts, skippedBecause } from '../../contract/steps/step-result.ts';
import { settledAs } from './settle.ts';
import { blocked, endAt, failedOf, put, type State, stepAt } from './state.ts';

/** What a person has said about a step. */
export type Answer =
  | { action: 'approve' | 'retry'; input?: Record<string, unknown> }
  | { action: 'reject' | 'skip' | 'fail' };

/** What takes the place of the step's own input, if anything does. */
export function inputOf(answer: Answer): Record<string, unknown> | undefined {
  return 'input' in answer ? answer.input : undefined;
}

/** A person has said what becomes of a step that waits for one. */
export function answered(state: State, name: string, answer: Answer): State {
  switch (answer.action) {
    case 'approve':
      return approved(withInput(state, name, answer.input), name);
    case 'reject':
      return settledAs(state, name, skippedBecause('a person has rejected it'));
    case 'retry':
      return retried(decidedOn(state, name), name, answer.input);
    case 'skip':
      return failedOf(state, name).reduce(
        (next, path) => settledAs(superseded(next, path), path, skippedBecause('a person has skipped it')),
        letFail(state, name),
      );
    case 'fail':
      return letFail(state, name);
    default:
      return answer satisfies never;
  }
}

/** What a person approves is bought, whatever was given after it in an earlier run: of a fan-out that was for some items. */
function approved(state: State, name: string): State {
  return blocked(fansOut(stepAt(state, name).input) ? state : decidedOn(state, name), name, true);
}

function decidedOn(state: State, name: string): State {
  return { ...state, asked: [...new Set([...state.asked, name])] };
}

/**
 * What has failed of a step is tried again.
 *
 * @param input in the place of the one that failed
 */
export function retried(state: State, name: string, input: Record<string, unknown> | undefined): State {
  const failed = failedOf(state, name);
  const next = failed.reduce(superseded, state);
  const gone = failed.map((path) => [path, undefined] as const);
  const free = put(next, ...gone);
  const { input: last = null, before = [] } = state.inputs.get(name) ?? {};
  const tried = new Map([last, ...before].map((one) => [one && digestOf(one), one]));
  return blocked(withInput(free, name, input, [...tried.values()]), name, true);
}

function letFail(state: State, name: string): State {
  const end = endAt(state, name);
  return put(state, [name, end === undefined ? { at: 'fanned', isDecided: true } : { at: 'done', ...end }]);
}

/** With another input what the step buys has another name. @param before which it was tried with */
export function withInput(
  state: State,
  name: string,
  input: Record<string, unknown> | undefined,
  before: ReplacedInput['before'] = [],
): State {
  if (input === undefined) return state;
  const first = state.inputs.get(name)?.given.first ?? digestOf(stepAt(state, name).input);
  const given = { first, last: digestOf(input) };
  return { ...state, inputs: new Map(state.inputs).set(name, { input, given, before }) };
}

/** Something else is to take its place: what it has cost stays on record. */
function superseded(state: State, path: string): State {
  const end = endAt(state, path);
  if (end === undefined) return state;
  const before = state.tried.get(path);
  const costs = ownCosts(end, before);
  const { usage = NO_USAGE, charged = NO_USAGE, asked = [], told = [] } = before ?? {};
  const untold = askedOf(end.item);
  const now = [...asked, ...untold.map(([taskId]) => taskId)];
  const { startedAt = 0 } = end;
  const own: (typeof told)[number] =
    untold.length === 0 ? [startedAt, costs.charged] : [startedAt, NO_USAGE, untold];
  const tried: Tried = {
    usage: addUsage(usage, costs.usage),
    charged: addUsage(charged, costs.charged),
    workflowId: end.item.workflowId,
    told: end.startedAt === undefined ? told : [...told, own],
    ...(now.length === 0 ? {} : { asked: now }),
  };
  return { ...state, tried: new Map(state.tried).set(path, tried) };
}

/** Characters of a state and of a note: anybody may send the signal. */
const LONGEST_STATE = 40;
export const LONGEST_NOTE = 700;

/** What a generation needs now. Whoever sends a signal may say so, in any words. */
export function heard(state: State, said: Partial<StepState> | null | undefined): State {
  const [path = ''] = typeof said?.path === 'string' ? said.path.split('@', 1) : [];
  const needs: unknown = said?.state;
  const note: unknown = said?.note;
  const stage = state.steps.get(path);
  if (stage?.at !== 'seeking' && stage?.at !== 'starting' && stage?.at !== 'following') return state;
  if (typeof needs !== 'string' || needs === '') return put(state, [path, { ...stage, need: undefined }]);
  const words = typeof note === 'string' ? note : '';
  const need = { state: needs.slice(0, LONGEST_STATE), note: words.slice(0, LONGEST_NOTE) };
  return put(state, [path, { ...stage, need }]);
}
