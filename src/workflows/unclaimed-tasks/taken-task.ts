/**
 * Workflow `task/<task id>`: it does nothing. That it is there, in the task queue of a deployment, tells all deployments
 * of the namespace that this one alone gives the task to a run whose answer got lost.
 */
export async function takenTask(): Promise<void> {}
