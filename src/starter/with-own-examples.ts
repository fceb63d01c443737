import type { Command } from 'commander';
import { PROGRAM } from '../package/own-command.ts';
import { withExamples } from '../terminal/with-examples.ts';

/** Gives a command's `--help` examples; each is what stands behind the program's name. */
export function withOwnExamples(command: Command, ...examples: readonly string[]): Command {
  return withExamples(command, ...examples.map((example) => `${PROGRAM} ${example}`));
}
