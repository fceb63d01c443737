import type { PolicySubset } from '../../src/policy/policy-subset.ts';
import { generate } from '../../src/workflow/index.ts';

/** What a scene's own workflow is started with. */
export interface OwnRequest {
  prompt: string;
  workspace: string;
  policy: PolicySubset;
  /** Where Darkroom's workers are. */
  taskQueue: string;
}

/** A workflow as somebody writes it whose worker is not Darkroom's: buys a still and enlarges it. */
export async function own({ prompt, ...where }: OwnRequest): Promise<string> {
  const still = await generate('image-l', { prompt }, { ...where, name: 'still' });
  const large = await generate('upscale-q', { image_url: still.outputs[0].url }, { ...where, name: 'large' });
  return large.taskId;
}
