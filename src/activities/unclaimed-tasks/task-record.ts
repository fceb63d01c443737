import {
  containsFields,
  type FieldDigests,
  fieldDigests,
  withTemplateOf,
} from '../../api/input/field-digests.ts';
import { endedInVain } from '../../api/records/ended-in-vain.ts';
import type { GenerationRecord, QueueState } from '../../api/records/generation-record.ts';
import { recordFamily } from '../../api/records/record-family.ts';
import { plainUsage } from '../../api/records/usage.ts';
import type { SubmitProof } from '../../contract/entities/claims.ts';
import type { Ownership } from '../../contract/entities/task-notices.ts';
import { GET_TIMEOUT } from '../../contract/limits.ts';
import type { ActivityDeps } from '../deps.ts';

/** Characters of what the API says. */
const MAX_REASON = 300;

/** A task that a survey looks at. */
export interface SurveyedTask {
  taskId: string;
  arrivedAt: number;
  fields: FieldDigests;
  /** Nobody looks for it: it may prove what a submit has cost that was given up. */
  forProof?: true;
}

/** What the task's record tells; while it cannot be read, nobody can tell whose it is. */
export async function readTask(
  { api, workspaces }: Pick<ActivityDeps, 'api' | 'workspaces'>,
  workspace: string,
  task: SurveyedTask,
): Promise<Ownership> {
  const access = workspaces.get(workspace);
  if (access === undefined)
    return { kind: 'unreadable', reason: `workspace ${workspace} is not configured on this worker` };
  const answer = await api.getGeneration(task.taskId, access, GET_TIMEOUT);
  if (answer.kind === 'unavailable')
    return { kind: 'unreadable', reason: answer.reason.slice(0, MAX_REASON) };
  // The run that gets it waits for its record as for any other's.
  if (answer.kind === 'not-found') return { kind: 'free' };
  return tellOf(answer.record, task);
}

function tellOf(record: GenerationRecord, task: SurveyedTask): Ownership {
  const { status, input, usage } = record;
  const family = recordFamily(record);
  const outcome = OUTCOMES[status];
  const told = fieldDigests(input);
  const fields = withTemplateOf(task.fields, told);
  const isAsTold = containsFields(fields, task.fields) && containsFields(task.fields, fields);
  return {
    kind: 'free',
    usage: plainUsage(usage),
    ...(outcome === undefined ? {} : { outcome }),
    ...(endedInVain(status) ? { endedWithoutResult: true } : {}),
    ...(family === undefined ? {} : { family }),
    // An answer that was handed over tells of the body that was sent; a record without an input tells nothing.
    ...(isAsTold || Object.keys(told).length === 0 ? {} : { fields }),
  };
}

const OUTCOMES: Partial<Record<QueueState, NonNullable<SubmitProof['outcome']>>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELED: 'canceled',
};
