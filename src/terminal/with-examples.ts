import type { Command } from 'commander';

/** Gives a command's `--help` examples below it: whole command lines, ready to be pasted. */
export function withExamples(command: Command, ...examples: readonly string[]): Command {
  const head = examples.length === 1 ? 'Example' : 'Examples';
  return command.addHelpText('after', `\n${head}:\n${examples.map((example) => `  ${example}`).join('\n')}`);
}
