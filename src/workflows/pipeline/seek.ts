import { proxyActivities } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { WhyNothing } from '../../contract/generation.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import type { EarlierGeneration } from '../../contract/steps/carried-pipeline.ts';
import { isMadeOf, isOfStep, type Job, toReuse } from '../../contract/steps/job.ts';
import type { LookedAt } from '../../contract/steps/step-look.ts';
import { failedBefore, inUse, mayStillEnd, unusable } from '../../contract/steps/step-result.ts';
import { heard, withInput } from './answers.ts';
import { look } from './looks.ts';
import { resolved } from './resolve.ts';
import type { Run } from './run.ts';
import { endFound, settledAs, settledBy } from './settle.ts';
import { type Change, earlierInputs, following, put, type State, stepOf } from './state.ts';

const { findReusable } = proxyActivities<Pick<DarkroomActivities, 'findReusable'>>({
  startToCloseTimeout: '10 minutes',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
});

/** A generation is taken from the pipeline that `reuse` names, or from an earlier run of this one, else bought. */
export async function seek(run: Run, path: string): Promise<Change> {
  const job = await resolved(run, path);
  if ('end' in job) return (state) => settledAs(state, path, job.end);
  const { tried } = run.state;
  const isBegun = !tried.has(path) && (await run.earlier.hasStarted(path));
  // What it has bought itself is its own, whatever has become of the pipeline that it reuses.
  const own = isBegun ? await look(run, job) : undefined;
  if (own !== undefined && isOfStep(own, job) && own.kind !== 'failed') return await takeOver(run, job, own);
  const found = await reusable(run, job);
  if (found?.kind === 'ended') return (state) => settledAs(state, path, mayStillEnd(found));
  if (found?.kind === 'completed') {
    const { workflowId, result } = found;
    const item = { status: 'COMPLETED' as const, workflowId, result, reused: true as const };
    return settledBy(run, job, { item });
  }
  // What failed is wanted once more: perhaps by the run that this one continues.
  if (tried.has(path))
    return await takeOver(run, job, await look(run, job, { isOwn: true }), { isOwn: true });
  if (own !== undefined) return await takeOver(run, job, own);
  return (state) =>
    found === null ? starting(state, job) : settledAs(state, path, unusable(job.workflowId, found.message));
}

/** What the pipeline that `reuse` names, if any, has bought for it: with its input, or else with one that it had there before. */
export async function reusable(run: Pick<Run, 'state' | 'outbox' | 'made'>, job: Job) {
  const { made, state } = run;
  const { path } = job;
  const own = await boughtFor(run, job);
  if (own?.kind === 'completed') return own;
  const name = stepOf(path);
  for (const input of earlierInputs(state, name)) {
    const earlier = await resolved({ made, state: withInput(state, name, input) }, path);
    const found = 'end' in earlier ? null : await boughtFor(run, earlier);
    if (found?.kind === 'completed') return found;
  }
  return own;
}

export async function boughtFor({ state, outbox }: Pick<Run, 'state' | 'outbox'>, job: Job) {
  const wanted = toReuse(job, state.request);
  if (wanted === undefined) return null;
  await outbox.room(jsonBytes(job.input));
  return await findReusable(wanted);
}

/**
 * Takes over what an earlier run has started; what failed there is bought again.
 *
 * @param isOwn whether it was this pipeline itself: that shows no earlier run of it
 */
export async function takeOver(
  run: Run,
  job: Job,
  found: LookedAt,
  { isOwn = false }: { isOwn?: boolean } = {},
): Promise<Change> {
  const { path } = job;
  if (!isOwn)
    run.change(({ mayHaveBought, runsAgain, ...state }) => {
      return { ...state, runsAgain: true, mayHaveBought: mayHaveBought || !runsAgain };
    });
  if (found.kind === 'missing') return (state) => starting(state, job);
  if (found.kind === 'different' || !isMadeOf(found, job)) {
    const isRunning = found.kind === 'different' ? found.isRunning : found.kind === 'running';
    return (state) => (isRunning ? settledAs(state, path, inUse(job.workflowId)) : starting(state, job, {}));
  }
  if (found.kind === 'running')
    return (state) => {
      const next = following(state, path);
      return found.state === undefined ? next : heard(next, { path, state: found.state, note: null });
    };
  const ended = endFound(job, found);
  if (found.kind === 'completed') return settledBy(run, job, ended);
  const next = await run.earlier.inputAfter(path);
  if (next !== undefined) return settledBy(run, job, { ...ended, next });
  // It is started again with what it was started with, and may adopt what it has bought.
  const earlier: EarlierGeneration = {
    run: found.runId,
    ...(found.other === undefined ? {} : { other: found.other }),
  };
  return (state) => starting(state, job, earlier);
}

/** What an earlier run has bought is no purchase any more, whatever stands against buying. */
export async function unbought(run: Run, job: Job, why: WhyNothing): Promise<Change> {
  const found = await look(run, job);
  if (isOfStep(found, job)) return await takeOver(run, job, found);
  return (state) => settledAs(state, job.path, failedBefore(job.workflowId, why));
}

/** It is to be bought. */
function starting(state: State, { path }: Job, earlier?: EarlierGeneration): State {
  return put(state, [path, { at: 'starting', ...(earlier === undefined ? {} : { earlier }) }]);
}
