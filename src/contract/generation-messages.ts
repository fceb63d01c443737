import { TERMINAL_EVENTS } from '../api/events/event-types.ts';
import { given } from '../api/json/given.ts';
import { isRecord } from '../api/json/is-record.ts';
import { isTaskId } from '../api/records/task-id.ts';
import type { Usage } from '../api/records/usage.ts';
import type { SubmitProof, TaskGrant } from './entities/claims.ts';
import type { TaskEvent } from './generation.ts';
import { MOST_NUMBER } from './limits.ts';
import type { SubmitName } from './tasks/submit-task.ts';
import { readArtifacts } from './tasks/task-artifacts.ts';

/** Characters of an id. */
const LONGEST_ID = 200;
/** How a task can have ended that shows up late. */
const PROVEN = ['completed', 'failed', 'canceled'] as const;

// The signals of a generation as they should be, or undefined. Anybody can send one, so it may be anything: one that throws
// would stop the run for good.

/** A hint that tells of a task's end. */
export function readTaskEnd(said: unknown): Pick<TaskEvent, 'taskId' | 'artifacts'> | undefined {
  const { type, taskId, artifacts } = isRecord(said) ? said : {};
  if (typeof type !== 'string' || !TERMINAL_EVENTS.has(type) || !isTaskId(taskId)) return undefined;
  return { taskId, ...artifactsIn(artifacts) };
}

export function readGrant(said: unknown): TaskGrant | undefined {
  const { claimId, taskId, artifacts, credits } = isRecord(said) ? said : {};
  if (!isId(claimId) || !isTaskId(taskId)) return undefined;
  return { claimId, taskId, ...artifactsIn(artifacts), ...(isCredits(credits) ? { credits } : {}) };
}

export function readProof(said: unknown): SubmitProof | undefined {
  const grant = readGrant(said);
  const { usage, outcome: ended } = isRecord(said) ? said : {};
  const { total, subscription, permanent } = isRecord(usage) ? usage : {};
  if (grant === undefined || !isCredits(total)) return undefined;
  const outcome = PROVEN.find((one) => one === ended);
  const cost: Usage = {
    total,
    subscription: isCredits(subscription) ? subscription : 0,
    permanent: isCredits(permanent) ? permanent : 0,
  };
  const { claimId, taskId } = grant;
  return { claimId, taskId, usage: cost, ...given({ outcome }) };
}

export function readNotSent(said: unknown): Required<SubmitName> | undefined {
  const { runId, activityId } = isRecord(said) ? said : {};
  return isId(runId) && isId(activityId) ? { runId, activityId } : undefined;
}

/** What only names something by its id. */
export function readId(said: unknown, name: 'claimId' | 'parkId'): string | undefined {
  const { [name]: id } = isRecord(said) ? said : {};
  return isId(id) ? id : undefined;
}

function artifactsIn(told: unknown): Pick<TaskGrant, 'artifacts'> {
  return given({ artifacts: readArtifacts(told) });
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_ID;
}

/** Whether it can be what a task costs. */
export function isCredits(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MOST_NUMBER;
}
