import Replicate from 'replicate';

const replicate = new Replicate();

export async function order(prompt: string, webhook: string): Promise<void> {
  const when = { webhook, webhook_events_filter: ['completed' as const] };
  await replicate.predictions.create({ model: 'minimax/image-01', input: { prompt }, ...when });
}
