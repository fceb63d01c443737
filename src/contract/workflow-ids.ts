/** The workspace of requests that name none, and of the environment's variables. */
export const DEFAULT_WORKSPACE = 'default';

/** The task queue unless DARKROOM_TASK_QUEUE says otherwise. */
export const DEFAULT_TASK_QUEUE = 'darkroom';

export type EntityKind = 'unclaimed-tasks' | 'credit-gate' | 'submit-pace' | 'account';

/**
 * The id of an entity workflow: one of its kind for each workspace, or an account's scope. Several deployments may share a namespace,
 * each with a task queue of its own; so any other queue than the default one is part of the id.
 */
export function entityId(kind: EntityKind, scope: string, taskQueue: string): string {
  return `${kind}/${scope}${taskQueue === DEFAULT_TASK_QUEUE ? '' : `@${taskQueue}`}`;
}

/** The memo field of a task's name that tells whom the task is for. */
export const TAKEN_FOR = 'takenFor';

/**
 * The id of a task's name in a namespace: a workflow in the task queue of the deployment that has taken it.
 *
 * @param former the run id of the name that it follows, where that one was taken for a run that is over
 */
export function takenTaskId(taskId: string, former?: string): string {
  return former === undefined ? `task/${taskId}` : `task/${taskId}/${former}`;
}

/** Whether it is the one for that workspace or scope, in whatever task queue: a replay runs in another one than its history. */
export function isEntityId(kind: EntityKind, scope: string, workflowId: string): boolean {
  const id = entityId(kind, scope, DEFAULT_TASK_QUEUE);
  return workflowId === id || workflowId.startsWith(`${id}@`);
}
