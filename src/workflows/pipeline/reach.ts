import { proxyLocalActivities } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { WhyNothing } from '../../contract/generation.ts';
import { withUrls } from '../../contract/purchases/origins.ts';
import { type Job, madeBy } from './job.ts';

const { reachOutputs } = proxyLocalActivities<Pick<DarkroomActivities, 'reachOutputs'>>({
  startToCloseTimeout: '2 minutes',
});

/**
 * The input of a generation with addresses at which its outputs can be reached by now; as it is where one cannot be
 * reached, with the reason why nothing may be bought with it.
 */
export async function reach(job: Job): Promise<{ input: Job['input']; unreachable?: WhyNothing }> {
  const { input, origins } = job;
  const used = new Map(
    Object.values(origins).flatMap(({ reference, outputs }) =>
      'step' in reference
        ? outputs.map((name) => [name, madeBy(job, reference.step).get(name)] as const)
        : [],
    ),
  );
  const outputs = [...used.values()].filter((output) => output !== undefined);
  if (outputs.length === 0) return { input };
  const found = await reachOutputs(outputs.map(({ url, stored }) => ({ url, stored })));
  if (!found.ok) return { input, unreachable: { type: 'OUTPUT_UNAVAILABLE', message: found.message } };
  const urls = outputs.map(({ name }, index) => [name, found.urls[index] ?? ''] as const);
  return { input: withUrls(input, origins, new Map(urls)) };
}
