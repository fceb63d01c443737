import { containsAsSent } from '../../api/contains-as-sent.ts';
import { findModel } from '../../api/models/registry.ts';
import { plainUsage } from '../../api/usage.ts';
import { toWire } from '../../api/wire.ts';
import type { TaskReport, TaskRequest } from '../../contract/activities.ts';
import type { ApiAccess } from '../api-access.ts';
import type { ActivityDeps } from '../deps.ts';

const GET_TIMEOUT = 8_000;

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
