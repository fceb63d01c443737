import { commandToDecide } from '../command-to-decide.ts';
import { inline } from '../markdown-text.ts';

/** A step of a pipeline that waits for a person. */
export interface AskedStep {
  workflowId: string;
  step: string;
  kind: 'approval' | 'held';
  /** Why it is asked about. */
  why: string | undefined;
}

type Choice = [update: string, input: object, words: string, action: string];

/** What a person can say about a step, ready to be copied: each update with its input, in Markdown. */
export function howToAnswer({ workflowId, step, kind, why }: AskedStep): string {
  const choices: Choice[] =
    kind === 'approval'
      ? [
          ['approve', { step }, 'buys it', 'approve'],
          ['reject', { step }, 'skips it and what depends on it', 'reject'],
        ]
      : [
          ['resolve', { step, action: 'retry' }, 'tries what failed again', 'retry'],
          ['resolve', { step, action: 'skip' }, 'skips it and what depends on it', 'skip'],
          ['resolve', { step, action: 'fail' }, 'lets it fail', 'fail'],
        ];
  const [first] = choices.map(([, , , action]) => action);
  const asks =
    kind === 'approval'
      ? 'waits for approval'
      : `is held${why === undefined ? '' : `: ${inline(why).replace(/\.$/, '')}`}`;
  return [
    `Step \`${step}\` ${asks}. Send one of these updates to this run (*More Actions → Send an Update*):`,
    choices
      .map(([update, input, words]) => `- \`${update}\` with \`${JSON.stringify(input)}\` ${words}`)
      .join('\n'),
    `${commandToDecide(workflowId, `${first} --step ${step}`)}. With \`"input": {…}\` ${kind === 'approval' ? '`approve`' : '`retry`'} takes another input.`,
  ].join('\n\n');
}
