import { isDeepStrictEqual } from 'node:util';
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { isRecord } from '../api/is-record.ts';
import { startedWith } from '../temporal/started-with.ts';
import type { StartDescription } from './describe-start.ts';
import { KeyInUseError } from './key-in-use-error.ts';
import type { WorkflowKind } from './workflow-id.ts';

export interface StartRequest extends StartDescription {
  kind: WorkflowKind;
  workflowId: string;
  /** The workflow's one argument. */
  request: object;
  workspace: string;
  taskQueue: string;
  /** 1 (first) to 5; Temporal's default is 3. */
  priority: number | undefined;
}

export interface StartedRun {
  runId: string;
  /** Whether the run had been started before, so that nothing new is bought. */
  attached: boolean;
}

/** What makes two requests the same purchase; policy and budget may differ. */
const IDENTITY: Record<WorkflowKind, readonly string[]> = {
  generation: ['model', 'input', 'workspace'],
  pipeline: ['steps', 'workspace'],
};

/**
 * Starts the workflow, or attaches to the one that has its id, running or closed: the id is the idempotency key
 * that the API lacks.
 *
 * @throws KeyInUseError when that one was started with another request
 */
export async function startOrAttach(client: Client, start: StartRequest): Promise<StartedRun> {
  const { kind, workflowId, request, workspace, taskQueue, priority, staticSummary, staticDetails } = start;
  try {
    const handle = await client.workflow.start(kind, {
      workflowId,
      taskQueue,
      args: [request],
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      staticSummary,
      staticDetails,
      priority: {
        fairnessKey: workspace.slice(0, 64),
        ...(priority === undefined ? {} : { priorityKey: priority }),
      },
    });
    return { runId: handle.firstExecutionRunId, attached: false };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
  const earlier = await startedWith(client, workflowId);
  const difference = findDifference(kind, request, earlier);
  if (difference !== undefined) throw new KeyInUseError(workflowId, difference);
  return { runId: earlier.runId, attached: true };
}

function findDifference(
  kind: WorkflowKind,
  request: object,
  earlier: { workflowType: string; request: unknown },
): string | undefined {
  if (earlier.workflowType !== kind) return 'workflow';
  const sent: unknown = JSON.parse(JSON.stringify(request)); // as the earlier one went through the converter
  return IDENTITY[kind].find(
    (field) => !isDeepStrictEqual(valueOf(sent, field), valueOf(earlier.request, field)),
  );
}

function valueOf(request: unknown, field: string): unknown {
  const value = isRecord(request) ? request[field] : undefined;
  return field === 'workspace' ? (value ?? 'default') : value;
}
