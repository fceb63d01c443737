import { fal } from '@fal-ai/client';

export async function order(prompt: string, webhookUrl: string): Promise<void> {
  await fal.queue.submit('fal-ai/flux/dev', { input: { prompt }, webhookUrl });
}
