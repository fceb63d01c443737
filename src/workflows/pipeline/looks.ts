import { proxyActivities } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import { type Job, toFind } from '../../contract/steps/job.ts';
import type { GenerationLook, LookedAt } from '../../contract/steps/step-look.ts';
import { LOOKS } from '../once.ts';
import type { Run } from './run.ts';

const { lookAtGeneration } = proxyActivities<Pick<DarkroomActivities, 'lookAtGeneration'>>(LOOKS);

/** What there is of a step's generation by now; with `wait`, how it has ended, whoever has started it. */
export async function look(
  { state, outbox }: Pick<Run, 'state' | 'outbox'>,
  job: Job,
  options: Partial<Pick<GenerationLook, 'wait' | 'asItIs' | 'isOwn'>> = {},
): Promise<LookedAt> {
  await outbox.room(jsonBytes(job.input));
  return await lookAtGeneration({ ...toFind(job, state.request), wait: false, ...options });
}

/** A generation as it is, whatever it was started for. */
export async function lookAgain(workflowId: string, model: string): Promise<LookedAt> {
  const wanted = { workflowId, model, workspace: undefined, input: {} };
  return await lookAtGeneration({ ...wanted, asItIs: true, wait: false });
}
