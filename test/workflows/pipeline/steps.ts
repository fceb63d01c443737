import type { PipelineProgress, PipelineResult } from '../../../src/contract/pipeline.ts';
import { itemsOf } from '../../../src/contract/steps/step-items.ts';
import { eventually, type World } from '../world.ts';

/** A step that costs 8 credits an image. */
export const still = (prompt: string, n?: number) => ({
  model: 'image-l',
  input: { prompt, ...(n === undefined ? {} : { n }) },
});

/** A step that costs 4 credits. */
export const large = (reference: unknown) => ({ model: 'upscale-q', input: { image_url: reference } });

/** The tasks that everything below a pipeline was charged for. */
export function chargesBelow(world: World, pipelineId: string): string[] {
  return world.emulator
    .service()
    .ledger.charges()
    .filter(({ workflow }) => workflow?.startsWith(`${pipelineId}/`))
    .map(({ taskId }) => taskId);
}

/** The credits that everything below a pipeline was charged. */
export function creditsBelow(world: World, pipelineId: string): number {
  return world.emulator
    .service()
    .ledger.charges()
    .filter(({ workflow }) => workflow?.startsWith(`${pipelineId}/`))
    .reduce((sum, { credits }) => sum + credits, 0);
}

/** The workflow ids of the generations that a step has ended with. */
export function idsOf({ steps }: Pick<PipelineResult, 'steps'>, name: string): (string | null)[] {
  const step = steps[name];
  return step === undefined ? [] : itemsOf(step).map(({ workflowId }) => workflowId);
}

/** The run of a pipeline that is the latest. */
export function latest(world: World, workflowId: string) {
  return world.client.workflow.getHandle<() => Promise<PipelineResult>>(workflowId);
}

/** Tasks of that prompt fail for good, the first so many of them. */
export function failTasks(world: World, promptIncludes: string, times = 1): void {
  world.fault({
    on: 'task',
    match: { promptIncludes },
    times,
    fault: { kind: 'fail', code: 'INVALID_INPUT' },
  });
}

/** Tasks of that prompt never end by themselves. */
export function hangTasks(world: World, promptIncludes: string): void {
  world.fault({ on: 'task', match: { promptIncludes }, fault: { kind: 'hang' } });
}

/** Ends a task that hangs, as a success. */
export async function finishTask(world: World, taskId: string | undefined): Promise<void> {
  await fetch(`${world.emulator.controlUrl}/tasks/${taskId}/finish`, { method: 'POST' });
}

/** Ends a task that hangs, as one that somebody has canceled at the API. */
export async function cancelTask(world: World, taskId: string | undefined): Promise<void> {
  await fetch(`${world.emulator.controlUrl}/tasks/${taskId}/cancel`, { method: 'POST' });
}

/** Ends a task that hangs, as a failure with that code, which has no prefix. */
export async function failTask(world: World, taskId: string | undefined, code: string): Promise<void> {
  await fetch(`${world.emulator.controlUrl}/tasks/${taskId}/fail`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
}

/** Waits until a step is held, and has it tried again with another input. */
export async function retryWith(
  world: World,
  { workflowId }: { workflowId: string },
  step: string,
  input: Record<string, unknown>,
): Promise<void> {
  const handle = world.client.workflow.getHandle(workflowId);
  await eventually(async () => {
    const { steps } = await handle.query<PipelineProgress>('progress');
    if (steps[step]?.status !== 'held') throw new Error(`step ${step} is not held`);
  });
  await handle.executeUpdate('resolve', { args: [{ step, action: 'retry', input }] });
}
