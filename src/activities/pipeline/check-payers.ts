import type { Client } from '@temporalio/client';
import type { FieldError } from '../../api/input/field-error.ts';
import { isList, isRecord } from '../../api/json/is-record.ts';
import { shown } from '../../api/text/shown.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { readLatestRun } from '../../temporal/latest-run.ts';
import { workspaceOf } from '../../temporal/reuse/same-step.ts';

/**
 * Whether the budgets of other workflows that are to pay for a pipeline are of its workspace: a rerun goes on with them. One
 * that the server has deleted is known by the pipeline that is reused, or by an earlier run of this one, and what a pipeline
 * is a part of by its id.
 *
 * @param runsAgain whether an earlier run of it may have bought steps
 * @throws the client's error while Temporal cannot be reached: that tells nothing of the workflows
 */
export async function checkPayers(
  client: Client,
  workflowId: string,
  request: PipelineRequest,
  runsAgain: boolean,
): Promise<FieldError[]> {
  const { budget, budgetsAbove = [], reuse, workspace } = request;
  const asked = [
    { path: 'budget.of', of: budget?.of ?? workflowId },
    ...budgetsAbove.map(({ workflowId: of }, index) => ({ path: `budgetsAbove.${index}.workflowId`, of })),
  ].filter(({ of }) => of !== workflowId && !workflowId.startsWith(`${of}/`));
  if (asked.length === 0) return [];
  const isOurs = (started: unknown): boolean =>
    isRecord(started) && workspaceOf(started) === workspaceOf({ workspace });
  const earlier = reuse === undefined ? undefined : await startedWith(client, reuse);
  const known = isOurs(earlier) ? payersOf(earlier) : [];
  const errors = await Promise.all(
    asked.map(async ({ path, of }): Promise<FieldError[]> => {
      const started = await startedWith(client, of);
      const isKnown = started === undefined ? runsAgain || known.includes(of) : isOurs(started);
      return isKnown ? [] : [{ path, message: messageOf(path, of) }];
    }),
  );
  return errors.flat();
}

/** The request that a workflow was started with, a batch by that of its rows; undefined: the server has no such workflow. */
async function startedWith(client: Client, workflowId: string): Promise<unknown> {
  const run = await readLatestRun(client, workflowId);
  const request = run?.request;
  return run?.type === 'batch' && isRecord(request) ? request['pipeline'] : (request ?? (run && null));
}

/** The workflows whose budgets pay by a request, in which anything may stand. */
function payersOf(request: unknown): unknown[] {
  if (!isRecord(request)) return [];
  const { budget, budgetsAbove } = request;
  const above = isList(budgetsAbove) ? budgetsAbove : [];
  return [budget, ...above].map((one) => isRecord(one) && (one['of'] ?? one['workflowId']));
}

function messageOf(path: string, of: string): string {
  const field = path.split('.', 1).join();
  const instead = field === 'budget' ? 'the pipeline has a budget of its own' : 'nobody else pays for it';
  return `must be a workflow of this workspace whose budget goes on, but ${shown(of)} is none that the server still has; without the field ${instead}`;
}
