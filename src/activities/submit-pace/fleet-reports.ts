import { type Client, WithStartWorkflowOperation, WorkflowNotFoundError } from '@temporalio/client';
import { reportSubmitsUpdate } from '../../contract/messages.ts';
import { entityId } from '../../contract/workflow-ids.ts';
import type { PaceAnswer, SubmitReport } from '../../policy/pace/types.ts';
import type { WarningLog } from '../warning-log.ts';
import type { PaceReports } from './submit-pacing.ts';

const TIMEOUT = 10_000;
/** The same trouble is logged again after this time (milliseconds). */
const QUIET = 10 * 60_000;

/** Reports to the entity workflow `submit-pace/<workspace>`, which the first refusal starts. */
export function fleetReports(temporal: Client, taskQueue: string, log: WarningLog): PaceReports {
  let loggedAt = -QUIET;
  const send = async (
    workspace: string,
    report: SubmitReport,
    mayStart: boolean,
  ): Promise<PaceAnswer | undefined> => {
    const workflowId = entityId('submit-pace', workspace, taskQueue);
    if (mayStart) {
      return await temporal.workflow.executeUpdateWithStart(reportSubmitsUpdate, {
        args: [report],
        startWorkflowOperation: new WithStartWorkflowOperation('submitPace', {
          workflowId,
          taskQueue,
          args: [{ workspace }],
          workflowIdConflictPolicy: 'USE_EXISTING',
          // A burst of generations must not keep waiting what is to slow it down.
          priority: { priorityKey: 1 },
          staticSummary: `the pace of workspace ${workspace}, whose submits the API refuses`,
        }),
      });
    }
    try {
      const handle = temporal.workflow.getHandle(workflowId);
      return await handle.executeUpdate(reportSubmitsUpdate, { args: [report] });
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  };
  return {
    async report(workspace, report, mayStart) {
      try {
        return await temporal.withDeadline(Date.now() + TIMEOUT, () => send(workspace, report, mayStart));
      } catch (error) {
        if (Date.now() >= loggedAt + QUIET) {
          loggedAt = Date.now();
          const reason = error instanceof Error ? error.message : String(error);
          log.warn(
            { workspace, reason },
            'a report of refused submits was not taken; until one is, this process keeps a pace of its own',
          );
        }
        throw error;
      }
    },
  };
}
