import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { OutputAsset } from '../api/output-assets.ts';
import type { GenerationOutput } from '../workflows/contract.ts';
import type { ActivityDeps } from './deps.ts';

export interface StoreOutputsInput {
  taskId: string;
  workspace: string;
  assets: OutputAsset[];
}
