/**
 * Ids of tasks are strings, says the API specification. They go into URLs, queries, logs, signals and a search
 * attribute, which takes 2 KB: so they are printable and short, or they are none.
 */
const TASK_ID = /^[\x21-\x7e]{1,200}$/;

/** Whether a value can be a task's id. */
export function isTaskId(value: unknown): value is string {
  return typeof value === 'string' && TASK_ID.test(value);
}
