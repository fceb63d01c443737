import { Context } from '@temporalio/activity';
import type { SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import { readHistory } from '../../temporal/history.ts';
import type { ActivityDeps } from '../deps.ts';
import type { CheckedSubmit } from './check-submit.ts';
import type { EarlierSearch } from './earlier-purchases.ts';
import { takeHeardOf, toldTaskIds } from './heard-of.ts';
import { readPurchases } from './purchases.ts';

/**
 * What a run that has given up a submit was told since that this one has bought. Its workflow takes that itself, but its
 * worker may be lost, while this submit is tried again and again. And what an account knows of it: a worker that was lost
 * to its run may have told that one. To be looked at before each further request is sent.
 *
 * @param search kept from attempt to attempt
 * @throws ApplicationFailure, retryable until the deadline, while the task's record cannot be read
 */
export async function findToldMeanwhile(
  deps: ActivityDeps,
  submit: CheckedSubmit,
  search: EarlierSearch,
): Promise<SubmitTaskResult | undefined> {
  if (submit.gaveUpAt === undefined) return undefined;
  const { workflowId, runId } = Context.current().info.workflowExecution ?? { workflowId: '', runId: '' };
  const events = (await readHistory(deps.temporal, workflowId, runId)) ?? [];
  const settled = new Set(submit.settledTaskIds);
  const { endedSubmits, unknownSubmits } = readPurchases(events);
  const seeds = [...endedSubmits, ...unknownSubmits].flatMap(({ seed }) => seed ?? []);
  const known = [...(search.bought ?? []), ...toldTaskIds(events)];
  const told = [...new Set(known)].filter((taskId) => !settled.has(taskId));
  return await takeHeardOf(deps, submit, told, [...new Set(seeds)], search);
}
