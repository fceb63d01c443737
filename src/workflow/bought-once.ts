import { ApplicationFailure, ChildWorkflowFailure } from '@temporalio/workflow';
import type { StepFailure } from '../contract/pipeline.ts';
import { REQUEST_MEMO, requestDigest } from '../contract/purchases/request-digest.ts';
import type { EndedBefore } from '../contract/steps/step-look.ts';
import { TAGS_MEMO, type Tags } from '../contract/tags.ts';
import { type Child, once } from '../workflows/once.ts';
import { passCancellationOn } from '../workflows/pass-cancellation-on.ts';

/** What there is of a child by now. */
type Found<Result> =
  | { kind: 'missing' }
  | { kind: 'different'; differences?: string[] }
  | { kind: 'running' }
  | { kind: 'completed'; result: Result }
  | ({ kind: 'failed'; failure: StepFailure; runId?: string } & EndedBefore);

export interface Purchase<Result> {
  type: Child['type'];
  workflowId: string;
  taskQueue: string;
  /** The child's one argument; told of a failed run before it, where there is one. */
  request: (earlierRun?: string) => { tags?: Tags | undefined };
  summary: string;
  /** Looks at the child that has the id; with `wait`, until it has ended. */
  look: (wait: boolean) => Promise<Found<Result>>;
}

/**
 * The result of a child that is started once for its id: one that runs or has ended is taken over; one that has failed
 * is started again, and adopts what it had bought.
 *
 * @throws ApplicationFailure of the API's or Darkroom's type, as the child failed; KEY_IN_USE where the id belongs to
 *   another request
 */
export async function boughtOnce<Result>(purchase: Purchase<Result>): Promise<Result> {
  const { workflowId, look } = purchase;
  let isOurs = false;
  const end = await passCancellationOn(
    () => (isOurs ? [workflowId] : []),
    () =>
      once<Result, Found<Result>>(childOf(purchase), {
        look,
        // Failed, or gone just now: started again, which somebody else may do at the same time.
        again: (found) => {
          if (found.kind === 'different') throw keyInUse(workflowId, found.differences);
          if (found.kind === 'completed') return undefined;
          return { ...childOf(purchase, found.kind === 'failed' ? found.runId : undefined), isAnother: true };
        },
        onRunning: () => {
          isOurs = true;
        },
      }),
  );
  if (end.kind === 'completed') return end.result;
  if ('error' in end) throw causeOf(end.error);
  const failure = end.kind === 'failed' ? end.failure : GONE;
  throw ApplicationFailure.create({ ...failure, details: [failure.details], nonRetryable: true });
}

function childOf<Result>(
  { type, workflowId, taskQueue, request, summary }: Purchase<Result>,
  earlierRun?: string,
): Child {
  const argument = request(earlierRun);
  const memo = {
    [REQUEST_MEMO]: requestDigest(type, argument),
    ...(argument.tags === undefined ? {} : { [TAGS_MEMO]: argument.tags }),
  };
  return { type, workflowId, taskQueue, argument, summary, memo, isAnother: false };
}

/** The failure itself, by whose type workflow code tells what happened. */
function causeOf(error: unknown): unknown {
  return error instanceof ChildWorkflowFailure && error.cause instanceof ApplicationFailure
    ? error.cause
    : error;
}

/** It ran when it was looked at before: somebody has deleted it. */
const GONE: StepFailure = { type: 'UNKNOWN', message: 'the server no longer has the run', details: null };

function keyInUse(workflowId: string, differences: readonly string[] | undefined): ApplicationFailure {
  const what = differences === undefined ? 'model or input' : differences.slice(0, 10).join(', ');
  return ApplicationFailure.create({
    type: 'KEY_IN_USE',
    message: `${workflowId} was started with another ${what}; give this one another key or name`,
    nonRetryable: true,
  });
}
