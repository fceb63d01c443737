import { continueAsNew } from '@temporalio/workflow';
import type { PolicySubset } from '../../src/policy/policy-subset.ts';
import { generate } from '../../src/workflow/index.ts';

/** What a scene's own workflow is started with. */
export interface OwnRequest {
  prompt: string;
  workspace: string;
  policy: PolicySubset;
  /** Where Darkroom's workers are. */
  taskQueue: string;
  /** Whether it enlarges the still in another run, as which it goes on. */
  inRounds?: boolean;
  /** Of the still, for that run. */
  image?: string;
}

/** A workflow as somebody writes it whose worker is not Darkroom's: buys a still and enlarges it. */
export async function own(request: OwnRequest): Promise<string> {
  const { prompt, inRounds = false, image, ...where } = request;
  const url = image ?? (await generate('image-l', { prompt }, { ...where, name: 'still' })).outputs[0].url;
  if (inRounds && image === undefined) await continueAsNew<typeof own>({ ...request, image: url });
  const large = await generate('upscale-q', { image_url: url }, { ...where, name: 'large' });
  return large.taskId;
}
