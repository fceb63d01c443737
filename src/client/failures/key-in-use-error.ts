/**
 * The key belongs to another request: a run of that workflow id was started with another model or input. Attaching
 * to it would hand out a result that nobody asked for here.
 */
export class KeyInUseError extends Error {
  override readonly name = 'KeyInUseError';
  /** As the command line's JSON and the rows of a batch name it. */
  readonly type = 'KEY_IN_USE';
  readonly workflowId: string;
  /** Where the two requests differ: `model`, `workspace`, `input.prompt`, `steps.clip.input.duration`, … */
  readonly differences: readonly string[];

  constructor(workflowId: string, differences: readonly string[]) {
    super(
      `${workflowId} was started with another ${listed(differences)}; use another key for another request`,
    );
    this.workflowId = workflowId;
    this.differences = differences;
  }
}

/** As many as a person reads. */
const NAMED = 10;

function listed(names: readonly string[]): string {
  const named = names.slice(0, NAMED);
  const more = names.length - named.length;
  const parts = more > 0 ? [...named, `${more} more`] : named;
  const last = parts.at(-1) ?? 'request';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}
