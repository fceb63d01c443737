import { PROGRAMS } from '../package/name.ts';
import { shellWord } from '../package/shell-word.ts';

/** The words of a run that asks, in Markdown, for who answers on a command line. */
export function commandToDecide(workflowId: string, answer: string): string {
  const command = `${PROGRAMS.installed} decide ${shellWord(workflowId)} ${answer}`;
  return `Or on a command line: \`${command}\` (from a clone: \`${PROGRAMS.clone} decide …\`)`;
}
