/** Workflow ids of the entity workflows, one of each a workspace. */
export function unclaimedTasksId(workspace: string): string {
  return `unclaimed-tasks/${workspace}`;
}

export function creditGateId(workspace: string): string {
  return `credit-gate/${workspace}`;
}
