import { proxyActivities } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { WhyNothing } from '../../contract/generation.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import { tasksLeftBy } from '../../contract/purchases/told-by-end.ts';
import type { EarlierGeneration, LeftTasks, Reserving } from '../../contract/steps/carried-pipeline.ts';
import type { LookedAt } from '../../contract/steps/step-look.ts';
import { failedBefore } from '../../contract/steps/step-result.ts';
import { nextTurn } from './advance.ts';
import { heard } from './answers.ts';
import { heldFor, pricesOf } from './budget.ts';
import { inUse, isMadeOf, type Job, mayStillEnd, ordered } from './job.ts';
import { look } from './looks.ts';
import { resolved } from './resolve.ts';
import type { Run } from './run.ts';
import { accounted, counted, endFound, settledAs, settledBy } from './settle.ts';
import { type Change, put, type State } from './state.ts';

const { findReusable } = proxyActivities<Pick<DarkroomActivities, 'findReusable'>>({
  startToCloseTimeout: '10 minutes',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
});

/** A generation is taken from the pipeline that `reuse` names, or from an earlier run of this one, else bought. */
export async function seek(run: Run, path: string, { place }: Reserving): Promise<Change> {
  const job = await resolved(run, path);
  if ('end' in job) return (state) => settledAs(state, path, job.end);
  if (place === 'refused') return await unbought(run, job, beyondBudget(run.state));
  const { reuse, workspace } = run.state.request;
  if (reuse !== undefined) {
    await run.outbox.room(jsonBytes(job.input));
    const { origins } = job;
    const found = await findReusable({ ...ordered(job), pipelineId: reuse, path, workspace, origins });
    if (found?.kind === 'ended') return (state) => settledAs(state, path, mayStillEnd(found));
    if (found !== null) {
      const { workflowId, result } = found;
      const item = { status: 'COMPLETED' as const, workflowId, result, reused: true as const };
      return settledBy(run, job, { end: { item }, tasks: [] });
    }
  }
  // What failed is wanted once more: perhaps by the run that this one continues, which has counted what it cost.
  if (run.state.tried.has(path))
    return await takeOver(run, job, await look(run, job, { isOwn: true }), { isOwn: true });
  if (await run.earlier.hasStarted(path)) return await takeOver(run, job, await look(run, job));
  return (state) => asking(state, job);
}

/**
 * Takes over what an earlier run has started; what failed there is bought again.
 *
 * @param isOwn whether it was this pipeline itself: that shows no earlier run of it
 * @param left to the generation by the run before it, where a look has found that already
 */
export async function takeOver(
  run: Run,
  job: Job,
  found: LookedAt,
  { isOwn = false, left }: { isOwn?: boolean; left?: LeftTasks | undefined } = {},
): Promise<Change> {
  const { path } = job;
  if (!isOwn) run.change((state) => ({ ...state, runsAgain: true }));
  if (found.kind === 'missing') return (state) => asking(state, job);
  if (found.kind === 'different' || !isMadeOf(found, job)) {
    const tasks = 'tasks' in found ? (found.tasks ?? []) : [];
    const isRunning = found.kind === 'different' ? found.isRunning : found.kind === 'running';
    return (state) => {
      const next = counted(state, path, tasks);
      return isRunning ? settledAs(next, path, inUse(job)) : asking(next, job, { foundAt: Date.now() });
    };
  }
  if (found.kind === 'running')
    return (state) => {
      const most = heldFor(state, pricesOf(state).keyOf(ordered(job)));
      const next = put(state, [path, { at: 'following', most, ...(left === undefined ? {} : { left }) }]);
      return found.state === undefined ? next : heard(next, { path, state: found.state, note: null });
    };
  const ended = endFound(job, found, left);
  if (found.kind === 'completed') return settledBy(run, job, ended);
  const next = await run.earlier.inputAfter(path);
  if (next !== undefined) return settledBy(run, job, { ...ended, end: { ...ended.end, next } });
  // It is started again with what it was started with, and may adopt what it has bought.
  const leftNow = tasksLeftBy(found) ?? left;
  const earlier: EarlierGeneration = {
    run: found.runId,
    foundAt: Date.now(),
    ...(leftNow === undefined ? {} : { left: leftNow }),
    ...(found.other === undefined ? {} : { other: found.other }),
  };
  return (state) => asking(accounted(state, job, ended), job, earlier);
}

/** What an earlier run has bought is no purchase any more, whatever stands against buying. */
export async function unbought(run: Run, job: Job, why: WhyNothing): Promise<Change> {
  const found = await look(run, job);
  const isThere = found.kind !== 'missing' && found.kind !== 'different';
  if (isThere && isMadeOf(found, job)) return await takeOver(run, job, found);
  return (state) => settledAs(state, job.path, failedBefore(job.workflowId, why));
}

export function beyondBudget({ request }: State): WhyNothing {
  const message = `the pipeline's budget of ${request.budget?.credits} credits does not admit it`;
  return { type: 'BUDGET_EXCEEDED', message };
}

/** It is to be bought, and waits for what it may cost. */
function asking(state: State, job: Job, earlier?: EarlierGeneration): State {
  const order = pricesOf(state).keyOf(ordered({ ...job, ...earlier?.other }));
  const turn = nextTurn(state);
  const found = earlier === undefined ? {} : { earlier };
  return put(state, [job.path, { at: 'reserving', place: 'asking', turn, order, ...found }]);
}
