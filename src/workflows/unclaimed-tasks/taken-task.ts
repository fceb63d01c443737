/**
 * Workflow `task/<task id>`: it does nothing. That it is there tells all deployments of the namespace that the task is for
 * the run in its memo alone, which has lost the answer to a submit.
 */
export async function takenTask(): Promise<void> {}
