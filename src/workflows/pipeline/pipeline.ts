import {
  ApplicationFailure,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import { addUsage, NO_USAGE } from '../../api/usage.ts';
import type { DarkroomActivities } from '../../contract/activities.ts';
import { pipelineProgressQuery } from '../../contract/messages.ts';
import type {
  PipelineProgress,
  PipelineRequest,
  PipelineResult,
  StepItem,
  StepResult,
} from '../../contract/pipeline.ts';
import {
  dependencies,
  findReferences,
  type Reference,
  resolveReferences,
} from '../../contract/references.ts';
import { Budget } from './budget.ts';
import { describePipeline } from './details.ts';
import { runItem } from './step.ts';
import { outputsOf, skipped, statusOf, usageOf } from './step-result.ts';

const { checkPipeline } = proxyLocalActivities<Pick<DarkroomActivities, 'checkPipeline'>>({
  startToCloseTimeout: '30 seconds',
});

/**
 * Workflow `pipeline`: generations that feed each other. Each step is a child workflow `generation`; it starts
 * as soon as what it refers to is done, so independent steps run side by side. A failed step skips what depends
 * on it and nothing else.
 */
export async function pipeline(request: PipelineRequest): Promise<PipelineResult> {
  const progress: PipelineProgress = { steps: {}, usage: NO_USAGE };
  setHandler(pipelineProgressQuery, () => progress, { description: 'What each step is doing' });

  const check = await checkPipeline(request);
  if (!check.ok) {
    const [first] = check.errors;
    throw ApplicationFailure.create({
      type: 'INVALID_REQUEST',
      message: first === undefined ? 'the request is invalid' : `${first.path} ${first.message}`,
      nonRetryable: true,
      details: [{ attempts: [], usage: NO_USAGE, charged: NO_USAGE, errors: check.errors }],
    });
  }
  for (const [name, { model }] of Object.entries(request.steps)) {
    progress.steps[name] = { status: 'pending', model, workflowIds: [] };
  }
  setCurrentDetails(describePipeline(progress));

  const budget = new Budget(request.budget?.credits);
  const running = new Map<string, Promise<StepResult>>();
  const stepOf = (name: string): Promise<StepResult> => {
    const known = running.get(name);
    if (known !== undefined) return known;
    const started = runStep(name);
    running.set(name, started);
    return started;
  };
  const names = Object.keys(request.steps);
  const settled = await Promise.allSettled(names.map(stepOf));
  const results = settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
  const steps = Object.fromEntries(names.map((name, index) => [name, results[index] as StepResult])); // same length
  const result: PipelineResult = {
    status: statusOf(results),
    steps,
    usage: results.map(usageOf).reduce(addUsage, NO_USAGE),
  };
  if (result.status === 'COMPLETED' || request.allowPartial === true) return result;
  const failed = names.filter((name) => steps[name]?.status !== 'COMPLETED');
  throw ApplicationFailure.create({
    type: 'PIPELINE_FAILED',
    message: `not completed: ${failed.join(', ')}`,
    nonRetryable: true,
    details: [result],
  });

  async function runStep(name: string): Promise<StepResult> {
    const step = request.steps[name];
    const shown = progress.steps[name];
    if (step === undefined || shown === undefined) throw new Error(`no step ${name}`); // names come from the request
    const needs = dependencies(step);
    const inputs = new Map(await Promise.all(needs.map(async (need) => [need, await stepOf(need)] as const)));
    const result = await runOnInputs(name, inputs);
    progress.steps[name] = { ...shown, status: 'done', outcome: result.status };
    progress.usage = addUsage(progress.usage, usageOf(result));
    setCurrentDetails(describePipeline(progress));
    return result;
  }

  async function runOnInputs(name: string, inputs: ReadonlyMap<string, StepResult>): Promise<StepResult> {
    const step = request.steps[name];
    const shown = progress.steps[name];
    if (step === undefined || shown === undefined) throw new Error(`no step ${name}`); // as above
    const each = findReferences(step.input, '').references.find(({ reference }) => reference.kind === 'each');
    const fanned = each === undefined ? undefined : inputs.get(each.reference.step);
    const items = fanned === undefined ? [undefined] : outputsOf(fanned);
    const broken = [...inputs].find(
      ([, result]) => outputsOf(result).length === 0 || result.status === 'FAILED',
    );
    if (broken !== undefined) return skipped(broken[0], whyUnusable(broken[1]));

    const run = async (item: (typeof items)[number], index: number): Promise<StepItem> => {
      const path = each === undefined ? name : `${name}/${index}`;
      const resolved = resolveInput(step.input, inputs, item);
      if ('missing' in resolved) return skipped(resolved.step, resolved.missing);
      return await runItem({ request, step, input: resolved.input, path, budget, onStart });
    };
    const onStart = (workflowId: string): void => {
      shown.status = 'running';
      shown.workflowIds.push(workflowId);
      setCurrentDetails(describePipeline(progress));
    };
    if (each === undefined) return await run(undefined, 0);
    const done = await Promise.all(items.map(run));
    const status = statusOf(done);
    return { status, workflowId: null, items: done };
  }
}

/** What is wrong with a step that has no outputs. */
function whyUnusable({ status }: StepResult): string {
  return status === 'COMPLETED' ? 'has no outputs' : `ended as ${status}`;
}

/** The input with every reference as a URL; or the step that lacks such an output after all, and what it has. */
function resolveInput(
  input: Record<string, unknown>,
  inputs: ReadonlyMap<string, StepResult>,
  item: ReturnType<typeof outputsOf>[number] | undefined,
): { input: Record<string, unknown> } | { step: string; missing: string } {
  let lack: { step: string; missing: string } | undefined;
  const resolve = (reference: Reference): string => {
    const source = inputs.get(reference.step);
    const output =
      reference.kind === 'each'
        ? item
        : source === undefined
          ? undefined
          : outputsOf(source)[reference.output];
    if (output === undefined && source !== undefined && reference.kind === 'from') {
      const { length } = outputsOf(source);
      const missing = `ended as ${source.status} with ${length} output(s): there is no output ${reference.output}`;
      lack = { step: reference.step, missing };
    }
    return output === undefined ? '' : output.url;
  };
  const resolved = resolveReferences(input, resolve);
  return lack ?? { input: resolved };
}
