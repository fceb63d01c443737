import { Command, Help } from 'commander';
import { IS_BUILT } from '../package/built.ts';
import { USAGE } from '../terminal/exit-codes.ts';
import { printable, printableJson } from '../terminal/printable.ts';
import { style } from '../terminal/style.ts';
import { wrapped } from '../terminal/wrap.ts';
import type { Answering } from './answer.ts';
import { cancelCommand } from './commands/cancel.ts';
import { checkCommand } from './commands/check.ts';
import { creditsCommand } from './commands/credits.ts';
import { decideCommand } from './commands/decide.ts';
import { generateCommand } from './commands/generate.ts';
import { listCommand } from './commands/list.ts';
import { modelsCommand } from './commands/models.ts';
import { rerunCommand } from './commands/rerun.ts';
import { resetCommand } from './commands/reset.ts';
import { runCommand } from './commands/run-pipeline.ts';
import { showCommand } from './commands/show.ts';
import { watchCommand } from './commands/watch.ts';
import { type CommandFailure, toCommandFailure } from './failures/command-failure.ts';
import { interruption } from './follow/interruption.ts';
import { withOwnExamples } from './with-own-examples.ts';

const COMMANDS = [
  generateCommand,
  runCommand,
  watchCommand,
  showCommand,
  listCommand,
  decideCommand,
  checkCommand,
  cancelCommand,
  resetCommand,
  rerunCommand,
  modelsCommand,
  creditsCommand,
];

/**
 * Runs one command line (without `node` and the script). Standard output gets the answer only: with `--json` exactly
 * one JSON document, whatever happens.
 *
 * @param programs further commands, which run until they are stopped and end the process themselves
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted
 */
export async function runStarter(
  args: readonly string[],
  programs: readonly Command[] = [],
): Promise<0 | CommandFailure['exitCode']> {
  const json = args.includes('--json');
  const answering: Answering =
    (run) =>
    async (...given) => {
      const answer = await run(...given);
      if (json) printJson(answer.json);
      else print(process.stdout, answer.text);
    };
  const program = createProgram(answering, programs);
  if (args.length === 0) {
    program.outputHelp({ error: true });
    return USAGE;
  }
  try {
    const done = program.parseAsync(args, { from: 'user' });
    const isProgram = programs.some((command) => command.name() === args[0]);
    await (isProgram ? done : Promise.race([done, interruption()]));
    return 0;
  } catch (error) {
    if (isHelp(error)) return 0;
    const { type, message, details, text, more, exitCode } = toCommandFailure(error);
    if (json) printJson({ error: { type, message, details } });
    print(process.stderr, text, 'red');
    if (more !== undefined) print(process.stderr, more);
    return exitCode;
  }
}

/** The one way for text to leave the program: whatever it holds of other people's, the terminal only shows it. */
function print(stream: NodeJS.WriteStream, text: string, format?: 'red'): void {
  const shown = wrapped(printable(text), stream.isTTY ? stream.columns : undefined);
  stream.write(`${format === undefined ? shown : style(stream, format, shown)}\n`);
}

function printJson(document: unknown): void {
  process.stdout.write(`${printableJson(document)}\n`);
}

const plainHelp = new Help();

function createProgram(answering: Answering, programs: readonly Command[]): Command {
  const program = new Command(IS_BUILT ? 'darkroom' : 'starter')
    .description('Starts, watches and repeats generations and pipelines, and shows what became of them.')
    // All have options; without the word the descriptions have room to wrap at 80 columns.
    .configureHelp({
      subcommandTerm: (command) => plainHelp.subcommandTerm(command).replace(' [options]', ''),
    });
  withOwnExamples(
    program,
    'generate image-l prompt="a red fox in snow"',
    'list --needs-a-look',
    'show generation/order-17',
    'generate --help',
  );
  for (const create of COMMANDS) {
    const command = create(answering).option(
      '--json',
      'one JSON document on standard output, all else on standard error',
    );
    program.addCommand(command);
  }
  for (const command of programs) program.addCommand(command);
  // Errors are printed in one place, above; commander would end the process.
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .configureOutput({ outputError: () => undefined })
      .showSuggestionAfterError();
  }
  return program;
}

function isHelp(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  // `--help`, and the command `help`.
  return code === 'commander.helpDisplayed' || code === 'commander.help';
}
