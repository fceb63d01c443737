import { Command, Help } from 'commander';
import { IS_BUILT } from '../package/built.ts';
import { PACKAGE } from '../package/name.ts';
import { packageVersion } from '../package/version.ts';
import { USAGE } from '../terminal/exit-codes.ts';
import { printable, printableJson } from '../terminal/printable.ts';
import { style } from '../terminal/style.ts';
import { wrapped } from '../terminal/wrap.ts';
import type { Answering } from './answer.ts';
import { type CommandFailure, toCommandFailure } from './failures/command-failure.ts';
import { interruption } from './follow/interruption.ts';
import { withOwnExamples } from './with-own-examples.ts';

/** In the order of the help. Each is loaded when it is asked for: what it needs is most of what a start costs. */
const COMMANDS: ReadonlyMap<string, () => Promise<(answering: Answering) => Command>> = new Map([
  ['generate', async () => (await import('./commands/generate.ts')).generateCommand],
  ['run', async () => (await import('./commands/run-pipeline.ts')).runCommand],
  ['watch', async () => (await import('./commands/watch.ts')).watchCommand],
  ['show', async () => (await import('./commands/show.ts')).showCommand],
  ['list', async () => (await import('./commands/list.ts')).listCommand],
  ['decide', async () => (await import('./commands/decide.ts')).decideCommand],
  ['check', async () => (await import('./commands/check.ts')).checkCommand],
  ['cancel', async () => (await import('./commands/cancel.ts')).cancelCommand],
  ['reset', async () => (await import('./commands/reset.ts')).resetCommand],
  ['retry', async () => (await import('./commands/retry.ts')).retryCommand],
  ['rerun', async () => (await import('./commands/rerun.ts')).rerunCommand],
  ['download', async () => (await import('./commands/download.ts')).downloadCommand],
  ['models', async () => (await import('./commands/models.ts')).modelsCommand],
  ['estimate', async () => (await import('./commands/estimate.ts')).estimateCommand],
  ['cost', async () => (await import('./commands/cost.ts')).costCommand],
  ['caps', async () => (await import('./commands/caps.ts')).capsCommand],
  ['credits', async () => (await import('./commands/credits.ts')).creditsCommand],
  ['doctor', async () => (await import('./commands/doctor.ts')).doctorCommand],
  ['completion', async () => (await import('./commands/completion.ts')).completionCommand],
]);

/**
 * Runs one command line (without `node` and the script). Standard output gets the answer only: with `--json` exactly
 * one JSON document, whatever happens.
 *
 * @param programs further commands, which run until they are stopped and end the process themselves
 * @returns the exit code: 0 done, 1 failed or found something failed, 2 wrong usage, 130 interrupted
 */
export async function runStarter(
  args: readonly string[],
  programs: readonly Command[] = [],
): Promise<0 | CommandFailure['exitCode']> {
  const json = args.includes('--json');
  let failed = false;
  const answering: Answering =
    (run) =>
    async (...given) => {
      const answer = await run(...given);
      failed = answer.failed ?? false;
      if (json) printJson(answer.json);
      else print(process.stdout, answer.text);
    };
  const [name] = args;
  const isProgram = programs.some((command) => command.name() === name);
  try {
    const commands = isProgram ? [] : (await loadCommands(name)).map((create) => create(answering));
    const program = createProgram(commands, programs);
    if (args.length === 0) {
      program.outputHelp({ error: true });
      return USAGE;
    }
    const done = program.parseAsync(args, { from: 'user' });
    await (isProgram ? done : Promise.race([done, interruption()]));
    return failed ? 1 : 0;
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

/** The command of that name alone; all of them where it is none, for the help and for what was meant. */
async function loadCommands(name = ''): Promise<((answering: Answering) => Command)[]> {
  // A completion is of all of them.
  const load = name === 'completion' ? undefined : COMMANDS.get(name);
  return await Promise.all(load === undefined ? [...COMMANDS.values()].map((one) => one()) : [load()]);
}

const plainHelp = new Help();

function createProgram(commands: readonly Command[], programs: readonly Command[]): Command {
  const program = new Command(IS_BUILT ? PACKAGE : 'starter')
    .description('Starts, watches and repeats generations and pipelines, and shows what became of them.')
    .version(packageVersion(), '--version', 'print the version')
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
  for (const command of commands) {
    command.option('--json', 'one JSON document on standard output, all else on standard error');
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
  // `--help`, the command `help`, and `--version`.
  return ['commander.helpDisplayed', 'commander.help', 'commander.version'].some((one) => one === code);
}
