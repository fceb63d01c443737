/** Every workflow that the worker runs. The bundle is made of this file: no zod, no Node modules below it. */
import type { WorkflowDefinitionOptions } from '@temporalio/common';
import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';
import { batch as ownBatch } from './batch/batch.ts';
import { withCallback } from './callback/with-callback.ts';
import { darkroomCheck } from './darkroom-check/darkroom-check.ts';
import { generation as ownGeneration } from './generation/generation.ts';
import { pipeline as ownPipeline } from './pipeline/pipeline.ts';

const generation = withCallback('generation', ownGeneration, ({ status }) => status);
const pipeline = withCallback('pipeline', ownPipeline, ({ status }) => status);
const batch = withCallback('batch', ownBatch, ({ status }) => status);

/** Where workers are versioned, a purchase ends with the code that it was begun with. Elsewhere the server refuses it. */
const pinned = (): WorkflowDefinitionOptions =>
  workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' } : {};

setWorkflowOptions(pinned, batch);
setWorkflowOptions(pinned, darkroomCheck);
setWorkflowOptions(pinned, generation);
setWorkflowOptions(pinned, pipeline);

export { account } from './account/account.ts';
export { batchRows } from './batch/batch-rows.ts';
export { callback } from './callback/callback.ts';
export { creditGate } from './credit-gate/credit-gate.ts';
export { submitPace } from './submit-pace/submit-pace.ts';
export { takenTask } from './unclaimed-tasks/taken-task.ts';
export { unclaimedTasks } from './unclaimed-tasks/unclaimed-tasks.ts';
export { batch, darkroomCheck, generation, pipeline };
