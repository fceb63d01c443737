import { proxyActivities } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import { orderOf } from '../../contract/steps/pipeline-step.ts';
import type { GenerationLook, LookedAt } from '../../contract/steps/step-look.ts';
import { LOOKS } from '../once.ts';
import type { Job } from './job.ts';
import type { Run } from './run.ts';

const { lookAtGeneration } = proxyActivities<Pick<DarkroomActivities, 'lookAtGeneration'>>(LOOKS);

/** What there is of a step's generation by now; with `wait`, how it has ended, whoever has started it. */
export async function look(
  { state, outbox }: Pick<Run, 'state' | 'outbox'>,
  { workflowId, step, input, origins }: Job,
  options: Partial<Pick<GenerationLook, 'wait' | 'asItIs' | 'isOwn'>> = {},
): Promise<LookedAt> {
  const { workspace } = state.request;
  await outbox.room(jsonBytes(input));
  return await lookAtGeneration({
    ...orderOf(step, input),
    workflowId,
    workspace,
    origins,
    wait: false,
    ...options,
  });
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
