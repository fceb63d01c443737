import { fieldDigests } from '../../api/field-digests.ts';
import { canComeFrom } from '../../api/same-input.ts';
import { plainUsage } from '../../api/usage.ts';
import type { TaskReport, TaskRequest } from '../../contract/task-look.ts';
import type { ApiAccess } from '../api-access.ts';
import type { ActivityDeps } from '../deps.ts';
import { onTheWire } from '../unclaimed-tasks/on-the-wire.ts';

const GET_TIMEOUT = 8_000;

/** One GET of a task's record; a local activity, because it is idempotent and short. Never throws. */
export async function getTask(
  deps: ApiAccess & Pick<ActivityDeps, 'models' | 'normalized'>,
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
  { models, normalized: known }: Pick<ActivityDeps, 'models' | 'normalized'>,
  normalized: unknown,
  { model, fields }: NonNullable<TaskRequest['sent']>,
): boolean {
  const shape = known.shapeOf(model);
  const sent = onTheWire(fields, models[model]);
  return shape !== undefined && canComeFrom(fieldDigests(normalized), sent, shape.takes);
}
