import {
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  log,
  proxyLocalActivities,
  TemporalFailure,
  workflowInfo,
} from '@temporalio/workflow';
import { isRecord } from '../../api/json/is-record.ts';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { CallbackWord } from '../../contract/callback.ts';

/** The run's end waits for it, so it is given up after this. The pauses stay short: a longer one would be a timer. */
const { startCallback } = proxyLocalActivities<Pick<DarkroomActivities, 'startCallback'>>({
  startToCloseTimeout: '10 seconds',
  scheduleToCloseTimeout: '10 minutes',
  retry: { initialInterval: '200 milliseconds', backoffCoefficient: 1.5, maximumInterval: '5 seconds' },
});

/** The kinds of workflows whose requests may name a callback. */
type Kind = 'generation' | 'pipeline' | 'batch';

/**
 * The same workflow, which has a word sent when it has ended, if its request asks for that: by a workflow of its own, so
 * that the result waits for the start of that alone. One that is ended from outside (terminated, timed out) sends none.
 *
 * @param statusOf of a result
 */
export function withCallback<Arguments extends [request: object, ...more: unknown[]], Result extends object>(
  kind: Kind,
  workflow: (...args: Arguments) => Promise<Result>,
  statusOf: (result: Result) => string,
): (...args: Arguments) => Promise<Result> {
  return async (...args) => {
    const url = askedFor(args[0]);
    if (url === undefined) return await workflow(...args);
    let result: Result;
    try {
      result = await workflow(...args);
    } catch (error) {
      // Any other error fails the workflow task alone: a mended worker goes on with the run.
      if (error instanceof TemporalFailure && !isRefused(error))
        await tell(url, `${kind}.failed`, isCancellation(error) ? 'CANCELLED' : 'FAILED');
      throw error;
    }
    await tell(url, `${kind}.completed`, statusOf(result));
    return result;
  };
}

/** Anybody may start a workflow with anything: the check tells what is wrong with it. */
function askedFor(request: unknown): string | undefined {
  const url = isRecord(request) ? request['callback'] : undefined;
  return typeof url === 'string' ? url : undefined;
}

/** Whether the callback itself was refused. */
function isRefused(error: unknown): boolean {
  if (!(error instanceof ApplicationFailure) || error.type !== 'INVALID_REQUEST') return false;
  const details: unknown = error.details?.[0];
  const errors = isRecord(details) && Array.isArray(details['errors']) ? details['errors'] : [];
  return errors.some((one: unknown) => isRecord(one) && one['path'] === 'callback');
}

/**
 * By a local activity, and as the very last thing: its answer and the run's end are of one workflow task, so no Reset
 * comes between them. What was paid for is told to whoever waits for the run, whatever becomes of this.
 */
async function tell(url: string, type: CallbackWord['type'], status: string): Promise<void> {
  const { workflowId, runId } = workflowInfo();
  const word: CallbackWord = { type, workflowId, runId, status };
  await CancellationScope.nonCancellable(() => startCallback({ url, word })).catch((error: unknown) =>
    log.warn(`cannot send the callback: ${String(error)}`),
  );
}
