/** The mark of a cell in every id of its own: its workspace, its workflows, its prompts. */
const MARK = /\bx\d+x\b/;

/** The place of a cell: the name of its workspace, which stands in all its ids. */
export const placeName = (index: number): string => `x${index}x`;

/** The place that an id belongs to; undefined: to none. */
export const placeOf = (text: string): string | undefined => MARK.exec(text)?.[0];

/** The steps and children of a workflow, for visibility: those of somebody's own workflow have their kind before its id. */
export const belowQuery = (workflowId: string): string =>
  `(WorkflowId STARTS_WITH '${workflowId}/' OR WorkflowId STARTS_WITH 'generation/${workflowId}/')`;

/**
 * How a workflow is called within its cell: nothing for the main one, `still` for a step, `unclaimed-tasks` for an entity.
 *
 * @param main the workflow id that the cell is about
 */
export function nameWithin(main: string, workflowId: string): string {
  if (workflowId === main) return '';
  if (workflowId.startsWith(`${main}/`)) return `${workflowId.slice(main.length + 1).replaceAll('/', '.')}:`;
  return `${workflowId.split('/')[0]}:`;
}
