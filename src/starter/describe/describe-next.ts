import type { Call, Next } from '../../contract/failures/what-next.ts';
import { ownCommand } from '../../package/own-command.ts';

/** What to do next: a line for each thing, and one for each command, to be pasted. */
export function describeNext(things: readonly Next[]): string {
  return things
    .flatMap(({ what, calls }, index) => [
      `${index === 0 ? 'Next' : 'Then'}: ${what}`,
      ...calls.map((call) => `  ${command(call)}`),
    ])
    .join('\n');
}

function command({ call, workflowId, set, change }: Call): string {
  if (change !== undefined) return `${ownCommand(call, workflowId, '--set')} ${change}.<field>=<value>`;
  return ownCommand(call, workflowId, ...(set === undefined ? [] : ['--set', set.join('=')]));
}
