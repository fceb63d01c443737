/**
 * A task and the workspace that it belongs to. Workspaces are walls: what one of them says of a task is never told to
 * a workflow of another, so whoever looks for a task's workflow looks for both.
 */
export interface WorkspaceTask {
  workspace: string;
  taskId: string;
}

/** One text for both; no workspace's name has a line break. */
export function taskKey({ workspace, taskId }: WorkspaceTask): string {
  return `${workspace}\n${taskId}`;
}
