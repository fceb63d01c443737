import { Context } from '@temporalio/activity';
import { findModel } from '../api/models/registry.ts';
import { plainUsage } from '../api/usage.ts';
import { toWire } from '../api/wire.ts';
import type { ActivityDeps } from './deps.ts';
import { findEarlierPurchase } from './earlier-purchases.ts';
import type { SubmitTaskInput, SubmitTaskResult } from './submit-contract.ts';
import { invalidRequest, rejectionToFailure } from './to-failure.ts';

/**
 * One submit: one HTTP POST an attempt, heartbeating while it is in flight, so that a dead worker is noticed. A
 * cancellation does not interrupt the POST: its answer carries the id of a task that costs money.
 *
 * @throws ApplicationFailure for a rejection; retryable only where the policy retries it in place
 */
export async function submitTask(deps: ActivityDeps, request: SubmitTaskInput): Promise<SubmitTaskResult> {
  const context = Context.current();
  const { workflowExecution, attempt, scheduledTimestampMs } = context.info;
  const beat = setInterval(() => context.heartbeat(), Math.max(50, request.submit.heartbeat / 4));
  try {
    const model = findModel(request.model);
    const access = deps.workspaces.get(request.workspace);
    if (model === undefined || access === undefined) {
      throw invalidRequest([
        model === undefined
          ? { path: 'model', message: `${request.model} is not known to this worker` }
          : { path: 'workspace', message: `${request.workspace} is not configured on this worker` },
      ]);
    }
    const workflowId = workflowExecution?.workflowId ?? '';
    const earlier = await findEarlierPurchase(deps, request, access);
    if (earlier !== undefined) {
      if (earlier.kind === 'accepted') deps.routes.register(earlier.taskId, workflowId);
      return earlier;
    }
    const before = deps.balances.latest(request.workspace);
    const since = Date.now();
    const outcome = await deps.api.submit({
      ...toWire(model, request.input, deps.models[request.model]),
      apiKey: access.apiKey,
      timeout: request.submit.timeout,
      workflowId,
    });
    if (outcome.kind === 'accepted') {
      deps.routes.register(outcome.task.id, workflowId);
      return {
        kind: 'accepted',
        taskId: outcome.task.id,
        usage: plainUsage(outcome.task.usage),
        adopted: false,
      };
    }
    if (outcome.kind === 'unknown') {
      const after = await deps.balances.now(request.workspace);
      const balance = {
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      };
      return { kind: 'unknown', reason: outcome.reason, since, balance };
    }
    const available =
      outcome.row === 'INSUFFICIENT_CREDITS'
        ? (await deps.balances.now(request.workspace))?.available
        : undefined;
    throw rejectionToFailure(
      outcome,
      model.family,
      request.retries,
      attempt,
      Date.now() - scheduledTimestampMs,
      available,
    );
  } finally {
    clearInterval(beat);
  }
}
