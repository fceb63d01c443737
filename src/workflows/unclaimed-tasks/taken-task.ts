/**
 * Workflow `task/<task id>`: it does nothing. That it is there tells all deployments of the namespace that the task is for
 * the run in its memo alone, until the name that follows this one is taken.
 */
export async function takenTask(): Promise<void> {}
