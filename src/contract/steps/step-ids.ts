/** Characters that `@<digest>` adds to an id: see `digestOf`. */
export const DIGEST_SUFFIX_LENGTH = 11;

/**
 * The workflow id of a step's generation: named by what it buys, so that no purchase takes another one's id. A step's
 * first input has the name that callers know, `<pipeline id>/<step>` or `…/<step>/<index>`; another input, which a
 * person gives a held step later, adds `@<digest>`.
 */
export function generationId(pipelineId: string, path: string, digest?: string): string {
  return digest === undefined ? `${pipelineId}/${path}` : `${pipelineId}/${path}@${digest}`;
}

/** `<step>` or `<step>/<index>`, of a generation's workflow id. */
export function pathOfGeneration(pipelineId: string, workflowId: string): string {
  const [path = ''] = workflowId.slice(pipelineId.length + 1).split('@', 1); // no step's name has an @
  return path;
}

/** The memo field of a step's generation that tells its place: its workflow id without the pipeline's and the slash. */
export const STEP_MEMO = 'step';
