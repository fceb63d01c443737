/** The workspace of requests that name none, and of the environment's variables. */
export const DEFAULT_WORKSPACE = 'default';

/** The task queue unless DARKROOM_TASK_QUEUE says otherwise. */
export const DEFAULT_TASK_QUEUE = 'darkroom';

/**
 * The id of an entity workflow: one of its kind for each workspace. Several deployments may share a namespace,
 * each with a task queue of its own; so any other queue than the default one is part of the id.
 */
export function entityId(
  kind: 'unclaimed-tasks' | 'credit-gate' | 'submit-pace',
  workspace: string,
  taskQueue: string,
): string {
  return `${kind}/${workspace}${taskQueue === DEFAULT_TASK_QUEUE ? '' : `@${taskQueue}`}`;
}
