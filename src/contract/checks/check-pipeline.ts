import type { FieldError } from '../../api/field-error.ts';
import { isRecord } from '../../api/is-record.ts';
import { outputCount } from '../../api/models/output-count.ts';
import { isNestedDeeper } from '../../api/nesting.ts';
import { parseBudget, parsePolicy } from '../../policy/parse-policy.ts';
import { DEFAULT_POLICY } from '../../policy/policy.ts';
import type { PipelineCheck } from '../activities.ts';
import { MOST_GENERATIONS, STEP_NAME } from '../limits.ts';
import type { PipelineStep } from '../pipeline.ts';
import { checkGraph, findReferences, PLACEHOLDER_URL, resolveReferences } from '../references.ts';
import {
  type CheckDeps,
  checkModelInput,
  checkOtherwise,
  checkWorkspace,
  unknownFields,
} from './check-generation.ts';
import { listErrors } from './list-errors.ts';

const PIPELINE_FIELDS = ['steps', 'workspace', 'policy', 'budget', 'reuse', 'allowPartial'];
const STEP_FIELDS = ['model', 'input', 'policy'];
/** Deeper input fits no model, and cannot be walked. */
const DEEPEST = 100;

/**
 * Checks a `pipeline` request before anything is bought: its shape, the graph of references, every step's model,
 * and the fields that are known by then (a reference stands for a URL). No network call.
 */
export function checkPipelineRequest(
  request: unknown,
  deps: Pick<CheckDeps, 'models' | 'workspaces'>,
): PipelineCheck {
  if (!isRecord(request)) return refuse([{ path: 'request', message: 'must be an object with steps' }]);
  const { policy, errors: policyErrors } = parsePolicy(request['policy'], DEFAULT_POLICY);
  const errors = [
    ...unknownFields(request, PIPELINE_FIELDS),
    ...checkWorkspace(request['workspace'], deps),
    ...policyErrors,
    ...checkOtherwise(policy, request['workspace'], deps),
    ...parseBudget(request['budget']).errors,
  ];
  if (request['reuse'] !== undefined && (typeof request['reuse'] !== 'string' || request['reuse'] === '')) {
    errors.push({ path: 'reuse', message: 'must be the workflow id of an earlier pipeline' });
  }
  if (request['allowPartial'] !== undefined && typeof request['allowPartial'] !== 'boolean') {
    errors.push({ path: 'allowPartial', message: 'must be true or false' });
  }
  const { steps } = request;
  if (!isRecord(steps) || Object.keys(steps).length === 0) {
    return refuse([...errors, { path: 'steps', message: 'must be an object with at least one step' }]);
  }
  if (Object.keys(steps).length > MOST_GENERATIONS) {
    const message = `has ${Object.keys(steps).length} steps; a pipeline takes at most ${MOST_GENERATIONS}`;
    return refuse([...errors, { path: 'steps', message }]);
  }
  const sound = Object.entries(steps).flatMap(([name, step]): [string, PipelineStep][] => {
    const found = checkStepShape(name, step);
    errors.push(...found);
    return found.length === 0 ? [[name, step as PipelineStep]] : []; // its shape was checked just now
  });

  for (const [name, step] of sound) {
    const path = `steps.${name}.policy`;
    const own = parsePolicy(step.policy, DEFAULT_POLICY, path).policy;
    errors.push(...checkOtherwise(own, request['workspace'], deps, path));
  }
  errors.push(...checkGraph(Object.fromEntries(sound), Object.keys(steps)));
  const told = new Set(errors.map(({ path }) => path));
  for (const [name, step] of sound) {
    errors.push(...checkKnownInput(name, step, deps).filter(({ path }) => !told.has(path)));
  }
  if (errors.length === 0) errors.push(...checkOutputRange(Object.fromEntries(sound)));
  return errors.length === 0 ? { ok: true } : refuse(errors);
}

/** The step's model and the fields that are known by now: a reference stands for a URL. */
function checkKnownInput(name: string, step: PipelineStep, deps: Pick<CheckDeps, 'models'>): FieldError[] {
  const known = resolveReferences(step.input, () => PLACEHOLDER_URL);
  return checkModelInput(step.model, known, deps.models).map(({ path, message }) => ({
    path: `steps.${name}.${path}`,
    message: message.replace(JSON.stringify(PLACEHOLDER_URL), 'a reference, which stands for a URL'),
  }));
}

function checkStepShape(name: string, step: unknown): FieldError[] {
  const path = `steps.${name}`;
  if (!STEP_NAME.test(name)) {
    return [{ path, message: 'a step is named with letters, digits, _ and -, at most 64 of them' }];
  }
  if (!isRecord(step)) return [{ path, message: 'must be an object with model and input' }];
  const errors = unknownFields(step, STEP_FIELDS, `${path}.`);
  if (typeof step['model'] !== 'string')
    errors.push({ path: `${path}.model`, message: "must be a model's id" });
  if (!isRecord(step['input']))
    errors.push({ path: `${path}.input`, message: "must be an object of the model's fields" });
  else if (isNestedDeeper(step['input'], DEEPEST))
    errors.push({ path: `${path}.input`, message: `is nested deeper than ${DEEPEST} levels` });
  errors.push(...parsePolicy(step['policy'], DEFAULT_POLICY, `${path}.policy`).errors);
  return errors;
}

/**
 * References to outputs that a step will not have, and fan-outs into more generations than a run can hold, as far as
 * the inputs tell how many outputs each makes.
 */
function checkOutputRange(steps: Readonly<Record<string, PipelineStep>>): FieldError[] {
  const counts = new Map<string, number>();
  const countOf = (name: string): number => {
    const step = steps[name];
    if (step === undefined) return 0;
    const known = counts.get(name);
    if (known !== undefined) return known;
    const count = outputCount(step.input) * generationsOf(step);
    counts.set(name, count);
    return count;
  };
  const generationsOf = (step: PipelineStep): number => {
    const { references } = findReferences(step.input, '');
    const fan = references.find(({ reference }) => reference.kind === 'each');
    return fan === undefined ? 1 : countOf(fan.reference.step);
  };
  const generations = Object.values(steps).reduce((sum, step) => sum + generationsOf(step), 0);
  if (generations > MOST_GENERATIONS) {
    const message = `fan out into ${generations} generations; a pipeline takes at most ${MOST_GENERATIONS}`;
    return [{ path: 'steps', message }];
  }
  return Object.entries(steps).flatMap(([name, step]) =>
    findReferences(step.input, `steps.${name}.input`).references.flatMap(({ path, reference }) => {
      if (reference.kind !== 'from') return [];
      const count = countOf(reference.step);
      if (reference.output < count) return [];
      const last = count === 1 ? 'its only output is 0' : `its outputs are 0 to ${count - 1}`;
      return [{ path, message: `step ${reference.step} has no output ${reference.output}: ${last}` }];
    }),
  );
}

function refuse(errors: FieldError[]): PipelineCheck {
  return { ok: false, errors: listErrors(errors) };
}
