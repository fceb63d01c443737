/**
 * A service that buys a picture and a clip of it as one pipeline: once for its key, however often it is asked.
 * `npx temporal-darkroom dev` runs all it needs, and prints the variables to set.
 */
import { DarkroomClient, PipelineFailedError } from 'temporal-darkroom';
import { definePipeline } from 'temporal-darkroom/pipeline';

async function film(key: string, prompt: string): Promise<void> {
  const pipeline = definePipeline(({ step }) => {
    const still = step('image-l', { prompt });
    return { still, clip: step('video-f', { prompt: 'slow zoom', first_frame_url: still.output }) };
  });
  const darkroom = await DarkroomClient.connect();
  try {
    const run = await darkroom.start(pipeline, { key });
    if (run.attached) console.error('attached');
    for await (const { steps } of run.progress())
      for (const [name, { status }] of Object.entries(steps)) console.error(`${name}: ${status}`);
    const { still, clip } = (await run.result({ timeout: '10m' })).steps;
    for (const { stored } of still.result.outputs) console.log(`still: ${stored.uri}`);
    for (const { stored } of clip.result.outputs) console.log(`clip: ${stored.uri}`);
  } catch (error) {
    if (!(error instanceof PipelineFailedError)) throw error;
    console.error(error.message); // by its type, with what it cost and what to do
    for (const [name, step] of Object.entries(error.result?.steps ?? {}))
      if ('failure' in step && step.status === 'FAILED') console.log(`${name}: ${step.failure.type}`);
    process.exitCode = 1;
  } finally {
    await darkroom.close();
  }
}

const [key = 'film-17', prompt = 'a lighthouse at dawn'] = process.argv.slice(2);
void film(key, prompt);
