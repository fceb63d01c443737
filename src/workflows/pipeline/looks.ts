import { proxyActivities } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import { orderOf } from '../../contract/steps/pipeline-step.ts';
import type { GenerationLook, LookedAt } from '../../contract/steps/step-look.ts';
import { LOOKS } from '../once.ts';
import type { Job } from './job.ts';
import type { Run } from './run.ts';

const { lookAtGeneration } = proxyActivities<Pick<DarkroomActivities, 'lookAtGeneration'>>(LOOKS);

/** What there is of a step's generation by now. */
export async function look(
  run: Run,
  job: Job,
  options: Pick<GenerationLook, 'asItIs' | 'isOwn'> = {},
): Promise<LookedAt> {
  return await lookFor(run, job, { wait: false, ...options });
}

/** Waits for the end of a generation that this run has not started. */
export async function followed(run: Run, job: Job): Promise<LookedAt> {
  return await lookFor(run, job, { wait: true, asItIs: true });
}

/** A generation as it is, whatever it was started for. */
export async function lookAgain(workflowId: string, model: string): Promise<LookedAt> {
  return await lookAtGeneration({
    workflowId,
    model,
    workspace: undefined,
    input: {},
    asItIs: true,
    wait: false,
  });
}

async function lookFor(
  { state, outbox }: Run,
  { workflowId, step, input, origins }: Job,
  options: Pick<GenerationLook, 'wait' | 'asItIs' | 'isOwn'>,
): Promise<LookedAt> {
  const { workspace, budget } = state.request;
  await outbox.room(jsonBytes(input));
  return await lookAtGeneration({
    ...orderOf(step, input),
    workflowId,
    workspace,
    origins,
    costs: budget !== undefined,
    ...options,
  });
}
