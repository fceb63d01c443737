import { condition } from '@temporalio/workflow';
import type { GenerationResult, WhyNothing } from '../../contract/generation.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import { MOST_REQUEST_BYTES } from '../../contract/limits.ts';
import type { Starting } from '../../contract/steps/carried-pipeline.ts';
import { summarize } from '../../contract/summary.ts';
import { startOnce } from '../once.ts';
import { generationRequest, memoOf } from './child.ts';
import type { Job } from './job.ts';
import { look } from './looks.ts';
import { reach } from './reach.ts';
import { resolved } from './resolve.ts';
import type { Run } from './run.ts';
import { beyondBudget, takeOver, unbought } from './seek.ts';
import { settledAs } from './settle.ts';
import { type Change, put } from './state.ts';
import { failedBefore } from './step-result.ts';

/** Milliseconds after which a generation that is to run again is looked at once more. */
const LOOKED_AT_LONG_AGO = 1_000;

/**
 * Starts a generation. One that an earlier run has started before is started whatever stands against buying: it may
 * only have to take over what is paid for, and needs neither credits nor its input for that.
 */
export async function start(run: Run, path: string, { most, earlier, isBeyond }: Starting): Promise<Change> {
  const wanted = await resolved(run, path);
  if ('end' in wanted) return (state) => settledAs(state, path, wanted.end);
  const job: Job = { ...wanted, ...earlier?.other };
  const { left, run: earlierRun } = earlier ?? {};
  const { input, unreachable } = await reach(job);
  const adoptOnly = unreachable ?? (isBeyond === true ? beyondBudget(run.state) : undefined);
  if (adoptOnly !== undefined && earlierRun === undefined) return await unbought(run, job, adoptOnly);
  const credits = adoptOnly === undefined ? (most ?? undefined) : undefined;
  const request = {
    ...generationRequest(run.state.request, job.step, input, credits),
    ...(earlierRun === undefined ? {} : { earlierRun }),
    ...(adoptOnly === undefined ? {} : { adoptOnly: forChild(adoptOnly) }),
  };
  const bytes = jsonBytes(request);
  if (bytes > MOST_REQUEST_BYTES) {
    const message = `its input would have ${bytes} bytes as JSON; at most ${MOST_REQUEST_BYTES} are taken`;
    const item = failedBefore(job.workflowId, { type: 'INVALID_REQUEST', message });
    return (state) => settledAs(state, path, item);
  }
  if (earlierRun !== undefined && Date.now() - (earlier?.foundAt ?? 0) > LOOKED_AT_LONG_AGO) {
    // It waited for the budget, and somebody may have run it again meanwhile.
    const latest = await look(run, job);
    if (!('runId' in latest) || latest.runId !== earlierRun)
      return await takeOver(run, job, latest, { isOwn: true, left });
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
      isParentAgain: run.state.runsAgain,
      summary: summarize(request),
      memo: memoOf(run.state.id, job),
    }),
  );
  if (ending === undefined)
    return await takeOver(run, job, await look(run, job), { isOwn: earlier !== undefined, left });
  run.started.set(path, { at, ending });
  return (state) => put(state, [path, { at: 'following', most, ...(left === undefined ? {} : { left }) }]);
}

/** Whoever meets the generation by itself has to know what it hangs on. */
function forChild({ type, message }: WhyNothing): WhyNothing {
  const own = type === 'BUDGET_EXCEEDED' ? ', or this with a budget of its own' : '';
  return { type, message: `${message} (what stands in the way is the pipeline's: run that again${own})` };
}
