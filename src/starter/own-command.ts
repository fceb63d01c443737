import type { Command } from 'commander';
import { shellWord } from '../terminal/shell-word.ts';
import { withExamples } from '../terminal/with-examples.ts';

/** How this program is called, here and in every text that names one of its commands. */
const PROGRAM = 'npm run starter --';

/** Gives a command's `--help` examples; each is what stands behind the program's name. */
export function withOwnExamples(command: Command, ...examples: readonly string[]): Command {
  return withExamples(command, ...examples.map((example) => `${PROGRAM} ${example}`));
}

/** `npm run starter -- watch generation/order-17`: a command of this program, ready to be pasted into a shell. */
export function ownCommand(...words: readonly string[]): string {
  return [PROGRAM, ...words.map(shellWord)].join(' ');
}
