import { Context } from '@temporalio/activity';
import { fieldDigests } from '../../api/input/field-digests.ts';
import { canComeFrom, differingFields } from '../../api/input/same-input.ts';
import type { QueueState } from '../../api/records/generation-record.ts';
import { plainUsage, type Usage } from '../../api/records/usage.ts';
import { GET_TIMEOUT, LOCAL_TIMEOUT } from '../../contract/limits.ts';
import type { SentInputs, TaskToJudge } from '../../contract/tasks/task-look.ts';
import type { ApiAccess } from '../api-access.ts';
import type { ActivityDeps } from '../deps.ts';
import { onTheWire } from '../unclaimed-tasks/on-the-wire.ts';

/** Of a task's record, and whether it is of an input that was sent. */
export type TaskReport =
  | ({ kind: 'record'; status: QueueState; usage: Usage } & Likeness)
  | { kind: 'not-found' }
  | { kind: 'unavailable'; reason: string };

/** `differs`: where it is not, the fields in which it differs from the first. */
interface Likeness {
  isAsSent: boolean;
  differs?: string[];
}

type Known = Pick<ActivityDeps, 'models' | 'normalized'>;

/** One GET of a task's record. Never throws. */
export async function getTask(
  deps: ApiAccess & Known,
  { taskId, workspace, sent }: Pick<TaskToJudge, 'taskId' | 'workspace' | 'sent'>,
): Promise<TaskReport> {
  const access = deps.workspaces.get(workspace);
  if (access === undefined)
    return { kind: 'unavailable', reason: `workspace ${workspace} is not configured on this worker` };
  const timeout = Context.current().info.isLocal ? LOCAL_TIMEOUT : GET_TIMEOUT;
  const answer = await deps.api.getGeneration(taskId, access, timeout);
  if (answer.kind !== 'record') return answer;
  const { status, usage, input } = answer.record;
  return { kind: 'record', status, usage: plainUsage(usage), ...compare(deps, input, sent) };
}

/** Fields that are named. */
const MOST_NAMED = 10;

/** Whether a task is of an input that was sent, by what the API shows. */
export function compare(
  { models, normalized: known }: Known,
  normalized: unknown,
  { model, inputs }: SentInputs,
): Likeness {
  const shape = known.shapeOf(model);
  const sent = inputs.map((fields) => onTheWire(fields, models[model]));
  const made = fieldDigests(normalized);
  if (shape !== undefined && sent.some((one) => canComeFrom(made, one, shape.takes)))
    return { isAsSent: true };
  const [first = {}] = sent;
  return { isAsSent: false, differs: differingFields(made, first, shape?.takes).slice(0, MOST_NAMED) };
}
