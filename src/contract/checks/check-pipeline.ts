import { listErrors, type Mistake } from '../../api/input/mistakes.ts';
import { isList, isRecord } from '../../api/json/is-record.ts';
import { isNestedDeeper } from '../../api/json/nesting.ts';
import { shownName } from '../../api/text/shown.ts';
import { parseBudget, parsePolicy } from '../../policy/parse-policy.ts';
import { DEFAULT_POLICY } from '../../policy/policy.ts';
import type { PipelineCheck } from '../activities.ts';
import { checkCallback } from '../callback.ts';
import { utf8Bytes } from '../json-bytes.ts';
import { DEEPEST_INPUT, LONGEST_ID, MOST_GENERATIONS, STEP_NAME } from '../limits.ts';
import type { PipelineRequest, PipelineStep } from '../pipeline.ts';
import { checkBudgetsAbove } from '../purchases/payers.ts';
import { findReferences, type Tally } from '../steps/references.ts';
import { checkExtent } from './check-extent.ts';
import { type CheckDeps, checkOtherwise, checkWorkspace, unknownFields } from './check-generation.ts';
import { checkInput } from './check-inputs.ts';
import { checkReferences } from './check-references.ts';
import { checkIds, checkOutputRange, checkSizes } from './check-sizes.ts';
import { checkTags } from './check-tags.ts';
import { Names } from './nearest.ts';
import { countOutputs } from './output-counts.ts';
import { graphOf, readNode, type StepNode } from './step-graph.ts';

const PIPELINE_FIELDS = [
  '$schema',
  'steps',
  'params',
  'workspace',
  'policy',
  'tags',
  'callback',
  'budget',
  'budgetsAbove',
  'reuse',
  'earlierInputs',
  'allowPartial',
] as const;
const STEP_FIELDS = ['model', 'input', 'templateId', 'policy', 'approve', 'onFailure'] as const;

interface PipelineCheckDeps extends Pick<CheckDeps, 'models' | 'workspaces' | 'files' | 'callbacks'> {
  /** The pipeline's workflow id, where it is known: the ids of its generations begin with it. */
  workflowId?: string | undefined;
}

/**
 * Checks a `pipeline` request before anything is bought: its shape and size, the graph of references, every step's
 * model, the kinds of files that go from step to step, and the fields that are known by then. No network call. The
 * work grows as the request does, whatever is in it.
 *
 * @param tally of what was looked at, for tests
 */
export function checkPipelineRequest(
  request: unknown,
  deps: PipelineCheckDeps,
  tally: Tally = { visits: 0 },
): PipelineCheck {
  const errors = listErrors(mistakesOf(request, deps, tally));
  return errors.length > 0 ? { ok: false, errors } : { ok: true };
}

function* mistakesOf(request: unknown, deps: PipelineCheckDeps, tally: Tally): Generator<Mistake> {
  if (!isRecord(request)) {
    yield { path: 'request', message: 'must be an object with steps' };
    return;
  }
  const unfit = checkExtent(request);
  yield* unfit;
  if (unfit.length > 0) return;
  yield* checkFrame(request, deps);
  const params = isRecord(request['params']) ? request['params'] : {};
  yield* checkParams(request['params'], tally);
  yield* checkSteps(request, params, deps, tally);
  yield* checkStepPolicies(request['steps'], request['workspace'], deps);
}

/** Whether the steps' own policies fit the workspace; what is wrong with the policies themselves is told of before. */
function* checkStepPolicies(steps: unknown, workspace: unknown, deps: PipelineCheckDeps): Generator<Mistake> {
  if (!isRecord(steps)) return;
  for (const [name, step] of Object.entries(steps)) {
    if (!isRecord(step) || step['policy'] === undefined) continue;
    const { policy } = parsePolicy(step['policy'], DEFAULT_POLICY);
    yield* checkOtherwise(policy, workspace, deps, `steps.${shownName(name)}.policy`);
  }
}

/** What a request says beside its steps. */
function* checkFrame(request: Record<string, unknown>, deps: PipelineCheckDeps): Generator<Mistake> {
  yield* unknownFields(request, PIPELINE_FIELDS);
  yield* checkWorkspace(request['workspace'], deps);
  const { policy, errors } = parsePolicy(request['policy'], DEFAULT_POLICY);
  yield* errors;
  yield* checkOtherwise(policy, request['workspace'], deps);
  yield* parseBudget(request['budget']).errors;
  yield* checkBudgetsAbove(request['budgetsAbove']);
  yield* checkTags(request['tags']);
  yield* checkCallback(request['callback'], deps.callbacks);
  const { $schema: schema, reuse, allowPartial } = request;
  if (schema !== undefined && typeof schema !== 'string')
    yield { path: '$schema', message: 'must be the address of a JSON Schema, for editors' };
  // The server takes no longer id, and looks for none.
  if (reuse !== undefined && (typeof reuse !== 'string' || reuse === '' || utf8Bytes(reuse) > LONGEST_ID))
    yield { path: 'reuse', message: 'must be the workflow id of an earlier pipeline' };
  if (allowPartial !== undefined && typeof allowPartial !== 'boolean')
    yield { path: 'allowPartial', message: 'must be true or false' };
}

function* checkParams(params: unknown, tally: Tally): Generator<Mistake> {
  if (params === undefined) return;
  if (!isRecord(params)) {
    yield { path: 'params', message: 'must be an object of values by name' };
    return;
  }
  for (const [name, value] of Object.entries(params)) {
    const path = `params.${shownName(name)}`;
    if (!STEP_NAME.test(name))
      yield { path, message: 'a parameter is named with letters, digits, _ and -, at most 64 of them' };
    if (isNestedDeeper(value, DEEPEST_INPUT))
      yield { path, message: `is nested deeper than ${DEEPEST_INPUT} levels` };
    const { references, errors } = findReferences(value, path, tally);
    if (references.length + errors.length > 0)
      yield { path, message: 'holds a reference; a parameter is a plain value' };
  }
}

/** Inputs that steps had in the pipeline that is reused: nothing is bought with them. */
function checkEarlierInputs(inputs: unknown, steps: Readonly<Record<string, unknown>>): Mistake[] {
  if (inputs === undefined) return [];
  const path = 'earlierInputs';
  if (!isRecord(inputs)) return [{ path, message: 'must be an object of lists of inputs by step' }];
  return Object.entries(inputs).flatMap(([name, list]) => {
    if (!Object.hasOwn(steps, name))
      return { path, message: () => `names ${shownName(name)}, which is no step of this pipeline` };
    const isRight = (input: unknown): boolean => isRecord(input) && !isNestedDeeper(input, DEEPEST_INPUT);
    if (isList(list) && list.every(isRight)) return [];
    const message = `must be a list of inputs, nested at most ${DEEPEST_INPUT} levels`;
    return { path: `${path}.${shownName(name)}`, message };
  });
}

function* checkSteps(
  { steps, earlierInputs: inputs }: Readonly<Record<string, unknown>>,
  params: Readonly<Record<string, unknown>>,
  deps: PipelineCheckDeps,
  tally: Tally,
): Generator<Mistake> {
  if (!isRecord(steps) || Object.keys(steps).length === 0) {
    yield { path: 'steps', message: 'must be an object with at least one step' };
    return;
  }
  const { length } = Object.keys(steps);
  if (length > MOST_GENERATIONS) {
    yield { path: 'steps', message: `has ${length} steps; a pipeline takes at most ${MOST_GENERATIONS}` };
    return;
  }
  const shapes = checkEarlierInputs(inputs, steps);
  const earlierInputs = shapes.length > 0 ? {} : (inputs as PipelineRequest['earlierInputs']); // as is checked just now
  const nodes = new Map<string, StepNode>();
  for (const [name, step] of Object.entries(steps)) {
    const found = checkStepShape(name, step);
    shapes.push(...found);
    if (found.length === 0) nodes.set(name, readNode(name, step as PipelineStep, { earlierInputs, tally })); // its shape was checked just now
  }
  const graph = graphOf(nodes, tally);
  const names = new Names(Object.keys(steps), 'steps');
  const wrong = [...shapes, ...checkReferences(graph, names, params)];
  const counts = countOutputs(graph.ordered, params);
  const tooMuch = [...checkSizes(graph, counts, params)];
  yield* wrong;
  yield* tooMuch;
  // A large parameter may stand in a thousand places: it is put there only where that is bounded.
  if (tooMuch.length > 0) return;
  let inputsAreRight = true;
  for (const node of nodes.values()) {
    for (const mistake of checkInput(node, { nodes, counts, params, names }, deps)) {
      inputsAreRight = false;
      yield mistake;
    }
  }
  if (wrong.length > 0 || !inputsAreRight) return;
  yield* checkOutputRange(graph, counts);
  if (deps.workflowId !== undefined) yield* checkIds(graph, counts, deps.workflowId);
}

function checkStepShape(name: string, step: unknown): Mistake[] {
  const path = `steps.${shownName(name)}`;
  if (!STEP_NAME.test(name)) {
    return [{ path, message: 'a step is named with letters, digits, _ and -, at most 64 of them' }];
  }
  if (!isRecord(step)) return [{ path, message: 'must be an object with model and input' }];
  const errors = unknownFields(step, STEP_FIELDS, `${path}.`);
  const { model, input, policy, approve, onFailure } = step;
  if (typeof model !== 'string') errors.push({ path: `${path}.model`, message: "must be a model's id" });
  if (!isRecord(input))
    errors.push({ path: `${path}.input`, message: "must be an object of the model's fields" });
  else if (isNestedDeeper(input, DEEPEST_INPUT))
    errors.push({ path: `${path}.input`, message: `is nested deeper than ${DEEPEST_INPUT} levels` });
  if (approve !== undefined && typeof approve !== 'boolean')
    errors.push({ path: `${path}.approve`, message: 'must be true or false' });
  if (onFailure !== undefined && onFailure !== 'hold' && onFailure !== 'fail')
    errors.push({ path: `${path}.onFailure`, message: 'must be "hold" or "fail"' });
  errors.push(...parsePolicy(policy, DEFAULT_POLICY, `${path}.policy`).errors);
  return errors;
}
