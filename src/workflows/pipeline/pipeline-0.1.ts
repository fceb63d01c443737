import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { proxyActivities, WorkflowIdReusePolicy, workflowInfo } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { GenerationOutput } from '../../contract/generation.ts';
import type { PipelineRequest, StepItem, StepResult } from '../../contract/pipeline.ts';
import { dependencies, findReferences, resolveReferences } from '../../contract/references.ts';
import { failedBefore, generationRequest, runChild } from './child.ts';
import type { Shown } from './shown.ts';
import { outputsOf, skipped, statusOf, usageOf, whyUnusable } from './step-result.ts';
import { passCancellationOn } from './take-over.ts';

/**
 * The steps of a pipeline as release 0.1 ran them, command by command: pipelines that it has started go on so.
 * Nothing else may use this, and nothing here may change which commands are made, or their order.
 */
export async function runSteps01(request: PipelineRequest, shown: Shown): Promise<Map<string, StepResult>> {
  let spent = 0;
  const running = new Map<string, Promise<StepResult>>();
  const stepOf = (name: string): Promise<StepResult> => {
    const started = running.get(name) ?? runStep(name);
    running.set(name, started);
    return started;
  };
  const names = Object.keys(request.steps);
  const settled = await Promise.allSettled(names.map(stepOf));
  return new Map(
    settled.map((outcome, index) => {
      if (outcome.status === 'rejected') throw outcome.reason;
      return [names[index] ?? '', outcome.value];
    }),
  );

  async function runStep(name: string): Promise<StepResult> {
    const { input } = stepNamed(name);
    const needs = dependencies({ input });
    const inputs = new Map(await Promise.all(needs.map(async (need) => [need, await stepOf(need)] as const)));
    const result = await runOnInputs(name, inputs);
    shown.done(name, result.status);
    shown.spent(name, usageOf(result));
    shown.refresh();
    return result;
  }

  async function runOnInputs(name: string, inputs: ReadonlyMap<string, StepResult>): Promise<StepResult> {
    const { input } = stepNamed(name);
    const each = findReferences(input, '').references.find(({ reference }) => reference.kind === 'each');
    const fanned = each?.reference.kind === 'each' ? inputs.get(each.reference.step) : undefined;
    const items = fanned === undefined ? [undefined] : outputsOf(fanned);
    const broken = [...inputs].find(
      ([, result]) => outputsOf(result).length === 0 || result.status === 'FAILED',
    );
    if (broken !== undefined) return skipped(broken[0], whyUnusable(broken[1].status));
    const run = async (item: GenerationOutput | undefined, index: number): Promise<StepItem> => {
      const resolved = resolveInput(input, inputs, item);
      if ('missing' in resolved) return skipped(resolved.step, resolved.missing);
      return await runItem(name, each === undefined ? name : `${name}/${index}`, resolved.input);
    };
    if (each === undefined) return await run(undefined, 0);
    const done = await Promise.all(items.map(run));
    return { status: statusOf(done), workflowId: null, items: done };
  }

  async function runItem(name: string, path: string, input: Record<string, unknown>): Promise<StepItem> {
    const step = stepNamed(name);
    const workflowId = `${workflowInfo().workflowId}/${path}`;
    if (request.reuse !== undefined) {
      const found = await activities.findReusable({
        pipelineId: request.reuse,
        path,
        model: step.model,
        workspace: request.workspace,
        input,
      });
      if (found !== null) return { status: 'COMPLETED', ...found, reused: true };
    }
    const left = request.budget === undefined ? undefined : request.budget.credits - spent;
    const child = { workflowId, request: generationRequest(request, step, input, left) };
    if (left !== undefined && left <= 0) {
      const { runId, firstExecutionRunId } = workflowInfo();
      const found = runId === firstExecutionRunId ? undefined : await takeOver(child);
      if (found?.kind === 'completed') return { status: 'COMPLETED', workflowId, result: found.result };
      const message = `the pipeline's budget of ${request.budget?.credits} credits is spent`;
      return failedBefore(workflowId, { type: 'BUDGET_EXCEEDED', message });
    }
    shown.started(name, workflowId);
    shown.refresh();
    const item = await buyOrTakeOver(child);
    spent += usageOf(item).total;
    return item;
  }

  function stepNamed(name: string): PipelineRequest['steps'][string] {
    const step = request.steps[name];
    if (step === undefined) throw new Error(`no step ${name}`); // names come from the request
    return step;
  }
}

type Child = Pick<Parameters<typeof runChild>[0], 'workflowId' | 'request'>;

async function buyOrTakeOver(child: Child): Promise<StepItem> {
  const { workflowId, request } = child;
  try {
    return await runChild({ ...child, reuse: WorkflowIdReusePolicy.REJECT_DUPLICATE });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  const found = await takeOver(child);
  if (found.kind === 'completed') return { status: 'COMPLETED', workflowId, result: found.result };
  const again = found.kind === 'failed' ? { ...request, earlierRun: found.runId } : request;
  try {
    return await runChild({ workflowId, request: again, reuse: WorkflowIdReusePolicy.ALLOW_DUPLICATE });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const message = `${workflowId} runs already with another model or input: let it end, cancel it, or give the pipeline another id`;
    return failedBefore(workflowId, { type: 'INVALID_REQUEST', message });
  }
}

async function takeOver({
  workflowId,
  request: { model, workspace, input },
}: Child): ReturnType<DarkroomActivities['awaitGeneration']> {
  return await passCancellationOn(workflowId, () =>
    activities.awaitGeneration({ workflowId, model, workspace, input }),
  );
}

const activities = proxyActivities<Pick<DarkroomActivities, 'awaitGeneration' | 'findReusable'>>({
  startToCloseTimeout: '30 days',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '10 seconds' },
});

function resolveInput(
  template: Record<string, unknown>,
  inputs: ReadonlyMap<string, StepResult>,
  item: GenerationOutput | undefined,
): { input: Record<string, unknown> } | { step: string; missing: string } {
  let lack: { step: string; missing: string } | undefined;
  const input = resolveReferences(template, (reference) => {
    if (reference.kind === 'each') return item?.url ?? '';
    const source = reference.kind === 'from' ? inputs.get(reference.step) : undefined;
    if (source === undefined || reference.kind !== 'from') return ''; // 0.1 knew no other kinds
    const outputs = outputsOf(source);
    const output = outputs[reference.output];
    if (output === undefined) {
      const missing = `ended as ${source.status} with ${outputs.length} output(s): there is no output ${reference.output}`;
      lack = { step: reference.step, missing };
    }
    return output?.url ?? '';
  });
  return lack ?? { input };
}
