import { ApplicationFailure } from '@temporalio/common';
import { ActivityFailure, proxyActivities, TimeoutFailure, workflowInfo } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import {
  type CheckRequest,
  type CheckResult,
  type Finding,
  failure,
  type PlaceReport,
  warning,
} from '../../contract/finding.ts';
import { submitQueue } from '../../contract/tasks/submit-queue.ts';

/** How long a check waits for a worker. */
const PATIENCE = '30 seconds';

/**
 * Workflow `darkroomCheck`: what workers can use, seen from their own place, by one that takes activities and one that
 * takes submits. It buys nothing.
 *
 * @param request with `gate` a check that fails fails the workflow, as a rollout's gate wants it
 */
export async function darkroomCheck(request?: CheckRequest | null): Promise<CheckResult> {
  const { taskQueue } = workflowInfo();
  const [main, submits] = await Promise.all([checkOn(taskQueue), checkOn(submitQueue(taskQueue))]);
  const findings = once([...main.findings, ...submits.findings, ...differing(main, submits)]);
  if (request?.gate === true && findings.some(({ status }) => status === 'failure'))
    throw ApplicationFailure.create({
      type: 'CHECK_FAILED',
      message: findings
        .filter(({ status }) => status === 'failure')
        .map(({ check, message }) => `${check}: ${message}`)
        .join(' '),
      details: [{ findings }],
      nonRetryable: true,
    });
  return { findings };
}

async function checkOn(queue: string): Promise<PlaceReport> {
  const { checkPlace } = proxyActivities<Pick<DarkroomActivities, 'checkPlace'>>({
    taskQueue: queue,
    scheduleToStartTimeout: PATIENCE,
    startToCloseTimeout: '1 minute',
    retry: { maximumAttempts: 1 },
    summary: `from a worker of ${queue}`,
  });
  try {
    return await checkPlace();
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error;
    const isUntaken =
      error.cause instanceof TimeoutFailure && error.cause.timeoutType === 'SCHEDULE_TO_START';
    const finding = isUntaken
      ? failure(
          `workers of ${queue}`,
          `No worker took an activity within ${PATIENCE}.`,
          'Start workers, or more of them.',
        )
      : failure(
          `workers of ${queue}`,
          `The check failed there: ${error.cause?.message ?? error.message}`,
          "See the worker's log.",
        );
    return { findings: [finding], settings: {} };
  }
}

/** Both places mostly tell the same. */
function once(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}

function differing(main: PlaceReport, submits: PlaceReport): Finding[] {
  return Object.entries(main.settings).flatMap(([name, value]) => {
    const other = submits.settings[name];
    return (other === undefined && Object.keys(submits.settings).length === 0) || other === value
      ? []
      : [
          warning(
            `settings of the workers`,
            `Two workers of one task queue differ in ${name}: ${value}, and ${other ?? 'nothing'}.`,
            'Give all workers of a task queue the same settings, and restart them.',
          ),
        ];
  });
}
