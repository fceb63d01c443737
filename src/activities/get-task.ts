import type { QueueState } from '../api/generation-record.ts';
import { findModel } from '../api/models/registry.ts';
import { plainUsage, type Usage } from '../api/usage.ts';
import { toWire } from '../api/wire.ts';
import { containsAsSent } from '../workflows/unclaimed-tasks/matching.ts';
import type { ApiAccess } from './api-access.ts';
import type { ActivityDeps } from './deps.ts';

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
      /** Whether the task is of the input that was asked about; only where one was. */
      isAsSent?: boolean;
    }
  | { kind: 'not-found' }
  | { kind: 'unavailable'; code: string; reason: string; retryAfter?: number };

export interface TaskRequest {
  taskId: string;
  workspace: string;
  /** What a submit sent, by our field names: the report then tells whether the task is of that input. */
  sent?: { model: string; input: Record<string, unknown> };
}

/** One GET of a task's record; a local activity, because it is idempotent and short. Never throws. */
export async function getTask(
  deps: ApiAccess & Pick<ActivityDeps, 'models'>,
  request: TaskRequest,
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
    ...(request.sent === undefined ? {} : { isAsSent: isAsSent(deps, answer.record.input, request.sent) }),
  };
}

function isAsSent(
  { models }: Pick<ActivityDeps, 'models'>,
  normalized: unknown,
  { model, input }: NonNullable<TaskRequest['sent']>,
): boolean {
  const known = findModel(model);
  return known !== undefined && containsAsSent(normalized, toWire(known, input, models[model]).body);
}
