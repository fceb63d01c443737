import { DarkroomTaskId } from '../contract/search-attributes.ts';

/** The server compares a text with one of these to nothing, or takes the query for broken, however it is quoted. */
const INCOMPARABLE = /["\\]/;

/** A text as a value in a query of Temporal's visibility. */
export function visibilityText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * Finds the workflows that hold any of these tasks.
 *
 * @returns undefined when no workflow can be found by any of them: no task of ours has such an id
 */
export function holdersOf(taskIds: readonly string[]): string | undefined {
  const comparable = taskIds.filter((id) => !INCOMPARABLE.test(id)).map(visibilityText);
  return comparable.length === 0 ? undefined : `${DarkroomTaskId.name} IN (${comparable.join(', ')})`;
}

/** Whether visibility can compare with a text at all. */
export function isComparable(text: string): boolean {
  return !INCOMPARABLE.test(text);
}

/** Finds the runs whose ids begin with an id and a slash. Perhaps others, too, as below. */
export function runsBelow(workflowId: string): string {
  const [beginning = ''] = `${workflowId}/`.split(INCOMPARABLE, 1);
  return `WorkflowId STARTS_WITH ${visibilityText(beginning)}`;
}

/** Finds all runs of a workflow id. Perhaps others, too: where the whole id cannot be compared, its beginning is. */
export function runsOf(workflowId: string): string {
  const [beginning = ''] = workflowId.split(INCOMPARABLE, 1);
  return beginning === workflowId
    ? `WorkflowId = ${visibilityText(workflowId)}`
    : `WorkflowId STARTS_WITH ${visibilityText(beginning)}`;
}
