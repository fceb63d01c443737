import { ApplicationFailure, continueAsNew, workflowInfo } from '@temporalio/workflow';
import { definePipeline } from '../../src/pipeline/index.ts';
import { failureOf, generate, pipeline } from '../../src/workflow/index.ts';
import { FAST } from '../workflows/fast-policy.ts';

/** Workflows as somebody writes them who uses Darkroom from a worker of their own. */

/** Buys a still and a clip of it. */
export async function film(scene: string): Promise<{ still: string; clip: string }> {
  const still = await generate('image-l', { prompt: scene }, { policy: FAST });
  const clip = await generate(
    'video-f',
    { prompt: `${scene}, slow zoom`, first_frame_url: still.outputs[0].url },
    { policy: FAST, name: 'clip' },
  );
  return { still: still.outputs[0].stored.uri, clip: clip.outputs[0].stored.uri };
}

/** Buys two pictures as one pipeline; a step's policy is another one in each run. */
export async function album(scene: string): Promise<string> {
  const pictures = definePipeline(
    ({ step }) => {
      const day = step('image-l', { prompt: `${scene} by day` });
      const policy = { deadline: 60_000 + Math.floor(1_000 * Math.random()) };
      const night = step('image-l', { prompt: `${scene} by night` }, { policy });
      return { day, night };
    },
    { policy: FAST },
  );
  const { status } = await pipeline(pictures);
  return status;
}

/** Buys five pictures as a pipeline with a budget. @returns its status, or the type of its failure */
export async function frugal(scene: string, credits: string): Promise<string> {
  const steps = Object.fromEntries(
    [1, 2, 3, 4, 5].map((n) => [`p${n}`, { model: 'image-l', input: { prompt: `${scene} ${n}` } }]),
  );
  try {
    return (await pipeline({ steps, policy: FAST, budget: { credits: Number(credits) } })).status;
  } catch (error) {
    if (error instanceof ApplicationFailure) return error.type ?? '';
    throw error;
  }
}

/** Tells what a purchase failed with. */
export async function refused(prompt: string): Promise<string> {
  try {
    await generate('image-l', { prompt }, { policy: FAST });
    return 'bought';
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined) throw error;
    return `${failure.code}: ${failure.details !== null && 'attempts' in failure.details ? failure.details.attempts.length : 0} attempts`;
  }
}

/** Leaves all to a template. @returns the task, or why there is none */
export async function fromTemplate(templateId: string, key: string): Promise<string> {
  try {
    return (await generate('image-l', {}, { templateId, key, policy: FAST })).taskId;
  } catch (error) {
    if (error instanceof ApplicationFailure) return error.type ?? '';
    throw error;
  }
}

/** Uses a key that another request may have. */
export async function keyed(key: string, prompt: string): Promise<string> {
  try {
    return (await generate('image-l', { prompt }, { key, policy: FAST })).taskId;
  } catch (error) {
    if (error instanceof ApplicationFailure && error.type === 'KEY_IN_USE') return error.type;
    throw error;
  }
}

/** Buys a picture, goes on as new, buys another one, and fails so often before it ends. @returns the last task */
export async function series(scene: string, failures: string, round = '1'): Promise<string> {
  const { taskId } = await generate('image-l', { prompt: `${scene}, ${round}` }, { policy: FAST });
  if (round === '1') await continueAsNew<typeof series>(scene, failures, '2');
  if (workflowInfo().attempt <= Number(failures)) throw ApplicationFailure.retryable('once more');
  return taskId;
}
