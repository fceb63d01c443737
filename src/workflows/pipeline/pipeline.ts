import {
  ApplicationFailure,
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  log,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { isNestedDeeper } from '../../api/json/nesting.ts';
import { addUsage, NO_USAGE, type Usage } from '../../api/records/usage.ts';
import type { DarkroomActivities, PipelineEnd } from '../../contract/activities.ts';
import { DEEPEST_REQUEST } from '../../contract/limits.ts';
import { pipelineProgressQuery, stepStateSignal } from '../../contract/messages.ts';
import type { PipelineRequest, PipelineResult, StepResult } from '../../contract/pipeline.ts';
import type { CarriedPipeline } from '../../contract/steps/carried-pipeline.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { invalidRequest } from '../arguments/invalid-request.ts';
import { goOn } from '../go-on.ts';
import { parentRun } from '../parent-run.ts';
import { Attention } from './attention.ts';
import { nothingCarried } from './carried.ts';
import { checkInput, weighInput } from './check-input.ts';
import { countedCosts } from './counted-costs.ts';
import { pipelineFailed } from './failure.ts';
import { People } from './people.ts';
import { readCarried, readShown } from './read-arguments.ts';
import { PipelineRun } from './run.ts';
import { Shown } from './shown.ts';
import { type StepEnd, statusOf } from './step-result.ts';

const { checkPipeline } = proxyLocalActivities<Pick<DarkroomActivities, 'checkPipeline'>>({
  startToCloseTimeout: '30 seconds',
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
  const attention = new Attention();
  let run: PipelineRun | undefined;
  const { workflowId, namespace } = workflowInfo();
  const { workspace, budget } = readShown(request);
  const shown = new Shown(
    () => ({
      workflowId,
      namespace,
      workspace: workspace ?? DEFAULT_WORKSPACE,
      budget: budget?.credits,
    }),
    (step) => attention.ofStep(step),
  );
  setHandler(stepStateSignal, (said) => attention.hear(said), {
    description: 'A generation of this pipeline needs a look, or no longer does',
  });
  setHandler(pipelineProgressQuery, () => shown.progress, { description: 'What each step is doing' });
  const people = new People({
    weigh: (step, input) => (run === undefined ? [] : weighInput(run, step, input)),
    check: async (step, kind, input) => (run === undefined ? [] : await checkInput(run, step, kind, input)),
    progress: () => shown.progress,
    attention,
  });
  try {
    const begun = readCarried(handedOn) ?? (await begin(request, attention));
    if ('end' in begun) return endAgain(begun.end, shown);
    const carried = begun;
    const own = new PipelineRun(request, carried, { people, shown, attention });
    run = own;
    const ends = await finishOrContinue(own, shown);
    const steps = new Map([...ends].map(([name, end]) => [name, stepResult(own.results, end)]));
    return await resultOf(own.request, steps, { costs: await countedCosts(own), shown, attention });
  } catch (error) {
    tellEnd(error, shown);
    throw error;
  }
}

/** How a pipeline has ended that has no result to tell of. */
function tellEnd(error: unknown, shown: Shown): void {
  if (isCancellation(error)) {
    log.info('cancelled; tasks that were bought go on at the API');
    shown.end({ kind: 'cancelled' });
  } else if (error instanceof ApplicationFailure && error.type === 'INVALID_REQUEST') {
    log.warn(`failed with INVALID_REQUEST: ${error.message}`);
    shown.end({ kind: 'failed', type: error.type, message: error.message, charged: NO_USAGE });
  }
}

/** Refuses a bad request before anything is bought. */
async function begin(
  request: PipelineRequest,
  attention: Attention,
): Promise<CarriedPipeline | { end: PipelineEnd }> {
  // No payload could hold it: it would not even get to its check.
  if (isNestedDeeper(request, DEEPEST_REQUEST)) {
    throw invalidRequest([{ path: 'request', message: `is nested deeper than ${DEEPEST_REQUEST} levels` }]);
  }
  const { firstExecutionRunId } = workflowInfo();
  const parent = parentRun();
  const check = await (parent === undefined
    ? checkPipeline(request, firstExecutionRunId)
    : checkPipeline(request, firstExecutionRunId, parent));
  if (!check.ok) {
    attention.refused(request);
    throw invalidRequest(check.errors);
  }
  if (check.ended !== undefined) return { end: check.ended };
  return nothingCarried(check.prose ?? {}, check.runsAgain === true);
}

/** As an earlier run of it ended that is deleted, and its generations with it: nothing is bought, nor charged again. */
function endAgain(end: PipelineEnd, shown: Shown): PipelineResult {
  if ('result' in end) {
    const { status, charged } = end.result;
    shown.end({ kind: 'completed', status, charged });
    return end.result;
  }
  const { type, message, details } = end.failure;
  shown.end({ kind: 'failed', type, message, charged: NO_USAGE });
  throw ApplicationFailure.create({ type, message, nonRetryable: true, details: [details] });
}

/** Waits for every step; or goes on in a new run, which does not return. */
async function finishOrContinue(run: PipelineRun, shown: Shown): Promise<Map<string, StepEnd>> {
  const finishing = run.finish();
  let isDone = false;
  finishing
    .catch(() => undefined) // it is thrown below
    .finally(() => {
      isDone = true;
    });
  const scope = CancellationScope.current();
  const isOver = (): boolean => {
    shown.refresh();
    // The next run would not know of a cancellation of this one.
    return isDone || (!scope.consideredCancelled && run.mustContinueAsNew());
  };
  // A cancellation is for the generations: their ends are waited for.
  await CancellationScope.nonCancellable(async () => {
    do {
      await condition(isOver);
      await atRest();
    } while (!isOver());
  });
  if (!isDone) await goOn<typeof pipeline>(run.asked, run.carry());
  return await finishing;
}

/**
 * Waits until everything has run that can run now. Conditions are looked at in the middle of what an event has set off:
 * what is handed on to the next run must not be half of it.
 */
async function atRest(): Promise<void> {
  let looks = 0;
  await condition(() => {
    looks += 1;
    return looks > 1; // the first look is made at once
  });
}

function stepResult(results: PipelineRun['results'], { status, paths, isFannedOut }: StepEnd): StepResult {
  const items = paths.flatMap((path) => results.get(path)?.item ?? []);
  const [only] = items;
  if (!isFannedOut && only !== undefined) return only;
  return { status: status === 'SKIPPED' ? 'FAILED' : status, workflowId: null, items };
}

async function resultOf(
  { allowPartial, steps: asked }: PipelineRequest,
  steps: ReadonlyMap<string, StepResult>,
  {
    costs,
    shown,
    attention,
  }: { costs: readonly { usage: Usage; charged: Usage }[]; shown: Shown; attention: Attention },
): Promise<PipelineResult> {
  const result: PipelineResult = {
    status: statusOf([...steps.values()]),
    steps: Object.fromEntries(steps),
    usage: costs.map(({ usage }) => usage).reduce(addUsage, NO_USAGE),
    charged: costs.map(({ charged }) => charged).reduce(addUsage, NO_USAGE),
  };
  await condition(allHandlersFinished);
  const { status, usage, charged } = result;
  const failed = [...steps].find(([, step]) => step.status !== 'COMPLETED')?.[0];
  if (failed !== undefined) attention.failedAt(asked[failed]?.model ?? '');
  if (status === 'COMPLETED' || allowPartial === true) {
    shown.end({ kind: 'completed', status, charged });
    log.info(`ended as ${status} for ${usage.total} credits, ${charged.total} of them charged by this run`);
    return result;
  }
  const failure = pipelineFailed(result);
  shown.end({ kind: 'failed', type: 'PIPELINE_FAILED', message: failure.message, charged, details: result });
  log.warn(`failed with PIPELINE_FAILED: ${failure.message}`);
  throw failure;
}
