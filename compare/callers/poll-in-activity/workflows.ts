import { proxyActivities } from '@temporalio/workflow';
import type * as activities from './activities.ts';

const { generateImage } = proxyActivities<typeof activities>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '1 minute', // as long as its POST may take: a shorter one would send a slow POST again
});

export async function generation(prompt: string): Promise<string> {
  return await generateImage(prompt);
}
