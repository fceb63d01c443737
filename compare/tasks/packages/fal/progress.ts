import { fal, type QueueStatus } from '@fal-ai/client';

type Report = (status: QueueStatus) => void;

export async function film(prompt: string, onQueueUpdate: Report): Promise<string> {
  const { data } = await fal.subscribe('fal-ai/minimax/video-01', { input: { prompt }, onQueueUpdate });
  return data.video.url;
}
