import { proxyActivities } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import { inParcels, jsonBytes } from '../../contract/json-bytes.ts';
import { type Job, toFind, toReuse } from '../../contract/steps/job.ts';
import type { Run } from './run.ts';
import { boughtFor } from './seek.ts';

const { surveyPaid } = proxyActivities<Pick<DarkroomActivities, 'surveyPaid'>>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
});

/** So many things are asked about in one activity, and bytes: Temporal takes 2 MB. */
const AT_ONCE = { count: 100, bytes: 1_000_000 };
const MOST_BYTES = 1_900_000;

/**
 * Whether nothing new would be bought for a step. What something equal that runs elsewhere comes to is waited for only
 * where all else is paid for.
 *
 * @param begun its generations as earlier runs may have begun them, the latest first
 * @param bought the same as the pipeline that is reused may have bought them
 */
export async function arePaid(
  run: Run,
  jobs: readonly Job[],
  { begun, bought }: { begun: readonly Job[][]; bought: readonly Job[][] },
): Promise<boolean> {
  const {
    outbox,
    state: { request },
  } = run;
  const sources = [...begun, ...bought].flat().flatMap((job) => [...job.sources.values()]);
  const made = [...new Set(sources)].flatMap(({ outputs }) => outputs.map(({ name }) => name));
  const things = jobs.map(({ path }) => {
    const at = (all: readonly Job[][]): Job[] =>
      all.flatMap((some) => some.find((job) => job.path === path) ?? []);
    return {
      begun: at(begun).map((job) => toFind(job, request)),
      bought: at(bought),
      reusable: at(bought).flatMap((job) => toReuse(job, request) ?? []),
    };
  });
  const running: Job[][] = [];
  for (const some of inParcels(things, AT_ONCE)) {
    const question = { things: some.map(({ begun: own, reusable }) => ({ begun: own, reusable })), made };
    const bytes = jsonBytes(question);
    // What is that large is asked about: who approves it finds what is paid for.
    if (bytes > MOST_BYTES) return false;
    await outbox.room(bytes);
    const found = await surveyPaid(question);
    if (found.includes('none')) return false;
    running.push(...some.flatMap(({ bought: own }, index) => (found[index] === 'running' ? [own] : [])));
  }
  for (const own of running) {
    const ends = await Promise.all(own.map((job) => boughtFor(run, job)));
    if (!ends.some((end) => end?.kind === 'completed')) return false;
  }
  return true;
}
