/** The memo field of a child that names the first run of the workflow that has started it. */
export const PARENT_MEMO = 'parentFirstRun';

/** In the place of that run: the workflow was started once more under its id, and an earlier one may have started the child. */
export const STARTED_AGAIN = 'started again';

/** The same, where the workflow cannot tell: somebody's own does not know whether its id had earlier runs. */
export const PERHAPS_AGAIN = 'perhaps started again';

/**
 * The run that has started a child and may repeat another one: what earlier children of the same id have come to stands
 * in its histories, also where the server has deleted the children.
 */
export interface ParentRun {
  workflowId: string;
  runId: string;
  /** It is known to repeat another one; or may be a further start of its id, which the server has to tell. */
  again?: true | 'perhaps';
}
