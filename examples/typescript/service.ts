/**
 * A service that buys a picture for an order: once, however often it is asked. `npx darkroom dev` runs all it needs, and
 * prints the variables to set.
 */
import { ContentRejectedError, DarkroomClient, RunFailedError } from 'darkroom';

async function pictureOf(order: string, prompt: string): Promise<string> {
  const darkroom = await DarkroomClient.connect();
  try {
    const run = await darkroom.start('image-l', { prompt, aspect_ratio: '16:9' }, { key: order });
    for await (const { state } of run.progress()) console.error(`${order}: ${state}`);
    const { outputs } = await run.result({ timeout: '10m' });
    return outputs[0].stored.uri;
  } catch (error) {
    if (error instanceof ContentRejectedError) return 'refused by moderation';
    if (error instanceof RunFailedError) console.error(error.advice);
    throw error;
  } finally {
    await darkroom.close();
  }
}

const [order = 'order-17', prompt = 'a red fox in snow'] = process.argv.slice(2);
void pictureOf(order, prompt).then((uri) => console.log(uri));
