/** The mark of a cell in every id of its own: its workspace, its workflows, its prompts. */
const MARK = /\bx\d+x\b/;

/** The place of a cell: the name of its workspace, which stands in all its ids. */
export const placeName = (index: number): string => `x${index}x`;

/** The place that an id belongs to; undefined: to none. */
export const placeOf = (text: string): string | undefined => MARK.exec(text)?.[0];

/**
 * The steps and children of a workflow, for visibility: those of somebody's own workflow have their kind before its id,
 * and the run that it has gone on as behind it. A pipeline's rerun, and what is below that, belongs to it.
 */
export const belowQuery = (workflowId: string): string => {
  const beginnings = [
    `${workflowId}/`,
    `${workflowId}.rerun-`,
    `generation/${workflowId}/`,
    `generation/${workflowId}@`,
  ];
  return `(${beginnings.map((beginning) => `WorkflowId STARTS_WITH '${beginning}'`).join(' OR ')})`;
};

/**
 * What is bought once, by the workflow id that buys it: the same for a pipeline and its rerun, and for the rounds of
 * somebody's own workflow, in each of which it buys something else.
 */
export const purchaseOf = (workflowId: string): string =>
  workflowId.replace(/\.rerun-[0-9a-f]{6}/, '').replace(/@[0-9a-f]{8}(?=\/)/, '');

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
