import {
  ApplicationFailure,
  allHandlersFinished,
  condition,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { isNestedDeeper } from '../../api/json/nesting.ts';
import { NO_USAGE } from '../../api/records/usage.ts';
import type { DarkroomActivities, PipelineEnd } from '../../contract/activities.ts';
import { describePipelineFailure } from '../../contract/failures/pipeline-failure.ts';
import { DEEPEST_REQUEST } from '../../contract/limits.ts';
import { pipelineProgressQuery, stepStateSignal } from '../../contract/messages.ts';
import type { PipelineRequest, PipelineResult } from '../../contract/pipeline.ts';
import type { CarriedPipeline } from '../../contract/steps/carried-pipeline.ts';
import { invalidRequest } from '../arguments/invalid-request.ts';
import { tellBudgets } from '../book-once.ts';
import { goOn } from '../go-on.ts';
import { keepOrder } from '../in-order.ts';
import { parentRun } from '../parent-run.ts';
import { askedInThisRun } from '../reset-watch.ts';
import { tellBatch } from '../tell-parent.ts';
import { heard } from './answers.ts';
import { carriedState, carry } from './carried.ts';
import { answerPeople } from './people.ts';
import { askedIn, costsAfter, costsIn, resultOf, sumOf, toldOf } from './projections.ts';
import { readCarried } from './read-arguments.ts';
import { Run } from './run.ts';
import { progressOf, show } from './show.ts';
import { begun, type PipelineEnded, type State, unknown } from './state.ts';
import { workAtSteps } from './steps.ts';

const { checkPipeline } = proxyLocalActivities<Pick<DarkroomActivities, 'checkPipeline'>>({
  startToCloseTimeout: '30 seconds',
});
const { boughtSteps } = proxyActivities<Pick<DarkroomActivities, 'boughtSteps'>>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
});

/**
 * Workflow `pipeline`: generations that feed each other. Each step is a child workflow `generation`; it starts
 * as soon as what it refers to is done, so independent steps run side by side. A failed step skips what depends
 * on it and nothing else. Before its history gets too long it continues as new.
 *
 * @param handedOn what the run before this one has handed on, where it has continued as new; anything else is refused
 */
export async function pipeline(
  request: PipelineRequest,
  handedOn?: CarriedPipeline,
): Promise<PipelineResult> {
  const order = keepOrder();
  const { workflowId } = workflowInfo();
  const run = new Run(unknown(workflowId, request), order);
  setHandler(pipelineProgressQuery, () => progressOf(run.state), { description: 'What each step is doing' });
  let shown: State | undefined;
  const showAll = (): void => {
    show(shown, run.state);
    shown = run.state;
  };
  const end = (ended: PipelineEnded): void => {
    run.change((state) => ({ ...state, ended }));
    showAll();
  };
  try {
    const carried = readCarried(handedOn);
    if (carried !== undefined) {
      run.goOnFrom(carriedState(run.state, carried));
      shown = run.state;
      tellBatch(toldOf(run.state)); // what the run before has told last may have come to nobody
    }
    // Only now: what has come already meets the state that was handed on.
    setHandler(stepStateSignal, (said) => run.change((state) => heard(state, said)), {
      description: 'A generation of this pipeline needs a look, or no longer does',
    });
    answerPeople(run);
    if (carried === undefined) {
      const ended = await begin(run);
      if (ended !== undefined) return endAgain(ended, end);
    }
    if (!(await workAtSteps(run, showAll))) {
      order.hearAll();
      const next = carry({ ...run.state, runsAgain: run.earlier.runsAgain });
      run.goOnFrom(carriedState(run.state, next));
      showAll(); // the next run takes it for shown
      await goOn<typeof pipeline>(dated(request), next);
    }
    return await endNow(run, end);
  } catch (error) {
    if (run.state.ended === undefined) endByError(error, end);
    throw error;
  }
}

/** What is said of the budget was said when the first of the runs began. */
function dated(request: PipelineRequest): PipelineRequest {
  const { budget } = request;
  if (budget === undefined) return request;
  return { ...request, budget: { since: workflowInfo().startTime.getTime(), ...budget } };
}

/** Refuses a bad request before anything is bought. */
async function begin(run: Run): Promise<PipelineEnd | undefined> {
  const { request } = run.state;
  // No payload could hold it: it would not even get to its check.
  if (isNestedDeeper(request, DEEPEST_REQUEST)) {
    throw invalidRequest([{ path: 'request', message: `is nested deeper than ${DEEPEST_REQUEST} levels` }]);
  }
  const { firstExecutionRunId } = workflowInfo();
  const parent = parentRun();
  const check = await checkPipeline(request, firstExecutionRunId, ...(parent === undefined ? [] : [parent]));
  if (!check.ok) throw invalidRequest(check.errors);
  const isAgain = check.earlier !== undefined;
  run.change((state) => begun({ ...state, mayHaveBought: check.earlier === 'may have bought' }, isAgain));
  if (isAgain) tellBatch(toldOf(run.state)); // it may go by what a run before has told
  if (check.ended === undefined) await tellBudgets(request, { isAgain });
  return check.ended;
}

type End = (ended: PipelineEnded) => void;

/** As an earlier run of it ended that is deleted, and its generations with it: nothing is bought, nor charged again. */
function endAgain(ended: PipelineEnd, end: End): PipelineResult {
  if ('result' in ended) {
    const { status, charged } = ended.result;
    end({ kind: 'completed', status, charged });
    return ended.result;
  }
  const { type, message, details } = ended.failure;
  end({ kind: 'failed', type, message, charged: NO_USAGE });
  throw ApplicationFailure.create({ type, message, nonRetryable: true, details: [details] });
}

async function endNow(run: Run, end: End): Promise<PipelineResult> {
  const result = resultOf(run.state, await countedCosts(run.state));
  await condition(allHandlersFinished);
  const { status, charged } = result;
  if (status === 'COMPLETED' || run.state.request.allowPartial === true) {
    end({ kind: 'completed', status, charged });
    return result;
  }
  const type = 'PIPELINE_FAILED';
  const message = describePipelineFailure(result);
  end({ kind: 'failed', type, message, charged, details: result });
  throw ApplicationFailure.create({ type, message, nonRetryable: true, details: [result] });
}

/** How a pipeline has ended that has no result to tell of. */
function endByError(error: unknown, end: End): void {
  if (isCancellation(error)) end({ kind: 'cancelled' });
  else if (error instanceof ApplicationFailure && error.type === 'INVALID_REQUEST')
    end({ kind: 'failed', type: error.type, message: error.message, charged: NO_USAGE });
}

/** What everything has cost; what an earlier run of this id has told is not charged again: the sums over its runs are the bill. */
async function countedCosts(
  state: State,
): Promise<Pick<PipelineResult, 'usage' | 'charged' | 'boughtNothing'>> {
  const { workflowId, runId, firstExecutionRunId } = workflowInfo();
  const isFirst = runId === firstExecutionRunId;
  const bought = isFirst && !state.mayHaveBought ? { boughtNothing: true as const } : {};
  if (!state.runsAgain && isFirst) return { ...sumOf(costsIn(state)), ...bought };
  const asked = [...askedIn(state).keys()];
  const question = { workflowId, runId, ...(asked.length === 0 ? {} : { asked }) };
  // Asked for last, so that a Reset of this run asks anew, to whatever point.
  return { ...costsAfter(state, await askedInThisRun(() => boughtSteps(question))), ...bought };
}
