import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import pLimit from 'p-limit';
import { isNotFound } from './grpc-status.ts';
import type { RunIds } from './reset-run.ts';

const { HistoryEventFilterType } = proto.temporal.api.enums.v1;

/** Histories asked for at once. */
const AT_ONCE = 10;

/**
 * What failed runs failed with (an API code, or one of ours), by run id: read from the last event of each. A run
 * whose history is gone has no entry.
 */
export async function readFailureTypes(
  client: Client,
  runs: readonly RunIds[],
): Promise<ReadonlyMap<string, string>> {
  const next = pLimit(AT_ONCE);
  const types = await Promise.all(
    runs.map((run) => next(async () => [run.runId, await readFailureType(client, run)] as const)),
  );
  return new Map(types.flatMap(([runId, type]) => (type === undefined ? [] : [[runId, type]])));
}

async function readFailureType(client: Client, { workflowId, runId }: RunIds): Promise<string | undefined> {
  try {
    const { history } = await client.workflowService.getWorkflowExecutionHistory({
      namespace: client.options.namespace,
      execution: { workflowId, runId },
      historyEventFilterType: HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT,
    });
    const failure = history?.events?.at(-1)?.workflowExecutionFailedEventAttributes?.failure;
    return failure?.applicationFailureInfo?.type ?? undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
