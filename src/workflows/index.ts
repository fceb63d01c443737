/** Every workflow that the worker runs. The bundle is made of this file: no zod, no Node modules below it. */
import type { WorkflowDefinitionOptions } from '@temporalio/common';
import { setWorkflowOptions, workflowInfo } from '@temporalio/workflow';
import { batch } from './batch/batch.ts';
import { darkroomCheck } from './darkroom-check/darkroom-check.ts';
import { generation } from './generation/generation.ts';
import { pipeline } from './pipeline/pipeline.ts';

/** Where workers are versioned, a purchase ends with the code that it was begun with. Elsewhere the server refuses it. */
const pinned = (): WorkflowDefinitionOptions =>
  workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' } : {};

setWorkflowOptions(pinned, batch);
setWorkflowOptions(pinned, darkroomCheck);
setWorkflowOptions(pinned, generation);
setWorkflowOptions(pinned, pipeline);

export { account } from './account/account.ts';
export { batchRows } from './batch/batch-rows.ts';
export { creditGate } from './credit-gate/credit-gate.ts';
export { submitPace } from './submit-pace/submit-pace.ts';
export { unclaimedTasks } from './unclaimed-tasks/unclaimed-tasks.ts';
export { batch, darkroomCheck, generation, pipeline };
