import { condition, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { GenerationResult, WhyNothing } from '../../contract/generation.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import { MOST_REQUEST_BYTES } from '../../contract/limits.ts';
import { withUrls } from '../../contract/purchases/origins.ts';
import type { Starting } from '../../contract/steps/carried-pipeline.ts';
import { generationRequest } from '../../contract/steps/generation-request.ts';
import { type Job, madeBy } from '../../contract/steps/job.ts';
import { secondsOf } from '../../contract/steps/resolve-input.ts';
import { STEP_MEMO } from '../../contract/steps/step-ids.ts';
import { failedBefore } from '../../contract/steps/step-result.ts';
import { summarize } from '../../contract/summary.ts';
import { TAGS_MEMO, type Tags } from '../../contract/tags.ts';
import { startOnce } from '../once.ts';
import { look } from './looks.ts';
import { resolved } from './resolve.ts';
import type { Run } from './run.ts';
import { takeOver, unbought } from './seek.ts';
import { settledAs } from './settle.ts';
import { type Change, following } from './state.ts';

const { reachOutputs } = proxyLocalActivities<Pick<DarkroomActivities, 'reachOutputs'>>({
  startToCloseTimeout: '2 minutes',
});

/** A memo lies with every list of workflows: beyond this the URLs alone tell what an input is made of (bytes). */
const MOST_ORIGINS = 4_000;

/**
 * Starts a generation. One that an earlier run has started before is started whatever stands against buying: it may
 * only have to take over what is paid for, and does not need its input for that.
 */
export async function start(run: Run, path: string, { earlier }: Starting): Promise<Change> {
  const wanted = await resolved(run, path);
  if ('end' in wanted) return (state) => settledAs(state, path, wanted.end);
  const job: Job = { ...wanted, ...earlier?.other };
  const { run: earlierRun } = earlier ?? {};
  const { input, unreachable } = await reach(job);
  if (unreachable !== undefined && earlierRun === undefined) return await unbought(run, job, unreachable);
  const startedAt = workflowInfo().startTime.getTime();
  const request = {
    ...generationRequest({ workflowId: run.state.id, startedAt }, run.state.request, job.step, input),
    ...secondsOf(job.origins, (step, name) => madeBy(job, step).get(name)),
    ...(earlierRun === undefined ? {} : { earlierRun }),
    ...(unreachable === undefined ? {} : { adoptOnly: forChild(unreachable) }),
  };
  const bytes = jsonBytes(request);
  if (bytes > MOST_REQUEST_BYTES) {
    const message = `its input would have ${bytes} bytes as JSON; at most ${MOST_REQUEST_BYTES} are taken`;
    const item = failedBefore(job.workflowId, { type: 'INVALID_REQUEST', message });
    return (state) => settledAs(state, path, item);
  }
  await run.outbox.room(bytes);
  await condition(() => !run.isEnding);
  const at = Date.now();
  const ending = await run.starting(() =>
    startOnce<GenerationResult>({
      type: 'generation',
      workflowId: job.workflowId,
      argument: request,
      isAnother: earlier !== undefined,
      isParentAgain: run.earlier.runsAgain,
      summary: summarize(request),
      memo: memoOf(run.state.id, job, request.tags),
    }),
  );
  if (ending === undefined)
    return await takeOver(run, job, await look(run, job), { isOwn: earlier !== undefined });
  run.started.set(path, { at, ending });
  return (state) => following(state, path);
}

/** Whoever meets the generation by itself has to know what it hangs on. */
function forChild({ type, message }: WhyNothing): WhyNothing {
  return { type, message: `${message} (what stands in the way is the pipeline's: run that again)` };
}

/**
 * The input of a generation with addresses at which its outputs can be reached by now; as it is where one cannot be
 * reached, with the reason why nothing may be bought with it.
 */
async function reach(job: Job): Promise<{ input: Job['input']; unreachable?: WhyNothing }> {
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

/**
 * What is noted of a generation: what the URLs in its input are, so that a later run can tell, and its place below the
 * pipeline's id: it tells the pipeline by it when it needs a look.
 */
function memoOf(
  pipelineId: string,
  { workflowId, origins }: Job,
  tags: Tags | undefined,
): Record<string, unknown> {
  const isWorthNoting = Object.keys(origins).length > 0 && jsonBytes(origins) <= MOST_ORIGINS;
  return {
    [STEP_MEMO]: workflowId.slice(pipelineId.length + 1),
    ...(isWorthNoting ? { origins } : {}),
    ...(tags === undefined ? {} : { [TAGS_MEMO]: tags }),
  };
}
