import { type Call, type Failed, whatNext } from '../contract/failures/what-next.ts';

/** What a person can do about a failed run, for the Temporal Web UI: it can reset a run, and changes nothing of it. */
export function whatToDo(failed: Failed): string {
  const things = whatNext(failed).map(({ what, calls }) =>
    [what, ...calls.map((call) => inTheUi(call, failed.workflowId))].join(' '),
  );
  return `**What to do:** ${things.join(' Then: ')}`;
}

function inTheUi({ workflowId, set, change }: Call, own: string): string {
  const setting = set?.join('=') ?? (change === undefined ? undefined : `${change}.<field>=<value>`);
  if (setting !== undefined) return `On a command line: \`rerun ${workflowId} --set ${setting}\`.`;
  return workflowId === own ? 'Reset this run.' : `Reset \`${workflowId}\`.`;
}
