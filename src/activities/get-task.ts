import type { QueueState } from '../api/generation-record.ts';
import { plainUsage, type Usage } from '../api/usage.ts';
import type { ApiAccess } from './api-access.ts';

const GET_TIMEOUT = 8_000;

/** What one GET told about a task. The record's `input` is left out: the workflow has sent it. */
export type TaskReport =
  | {
      kind: 'record';
      status: QueueState;
      data: unknown;
      usage: Usage;
      code: string | null;
      message: string | null;
    }
  | { kind: 'not-found' }
  | { kind: 'unavailable'; code: string; reason: string; retryAfter?: number };

/** One GET of a task's record; a local activity, because it is idempotent and short. Never throws. */
export async function getTask(
  deps: ApiAccess,
  request: { taskId: string; workspace: string },
): Promise<TaskReport> {
  const access = deps.workspaces.get(request.workspace);
  if (access === undefined) {
    return {
      kind: 'unavailable',
      code: 'NO_KEY',
      reason: `workspace ${request.workspace} is not configured on this worker`,
    };
  }
  const answer = await deps.api.getGeneration(request.taskId, access.apiKey, GET_TIMEOUT);
  if (answer.kind !== 'record') return answer;
  const { status, data, usage, code, message } = answer.record;
  return {
    kind: 'record',
    status,
    data: data ?? null,
    usage: plainUsage(usage),
    code: code ?? null,
    message: message ?? null,
  };
}
