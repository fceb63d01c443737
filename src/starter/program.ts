import { Command, Help } from 'commander';
import { USAGE } from '../terminal/exit-codes.ts';
import { style } from '../terminal/style.ts';
import type { Answering } from './answer.ts';
import { creditsCommand } from './commands/credits.ts';
import { decideCommand } from './commands/decide.ts';
import { generateCommand } from './commands/generate.ts';
import { modelsCommand } from './commands/models.ts';
import { rerunCommand } from './commands/rerun.ts';
import { runCommand } from './commands/run-pipeline.ts';
import { showCommand } from './commands/show.ts';
import { watchCommand } from './commands/watch.ts';
import { describeFailure } from './describe/describe-failure.ts';
import { type CommandFailure, toCommandFailure } from './failures/command-failure.ts';
import { interruption } from './follow/interruption.ts';

const COMMANDS = [
  generateCommand,
  runCommand,
  watchCommand,
  showCommand,
  decideCommand,
  rerunCommand,
  modelsCommand,
  creditsCommand,
];

/**
 * Runs one command line (without `node` and the script). Standard output gets the answer only: with `--json` exactly
 * one JSON document, whatever happens.
 *
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage, 130 interrupted
 */
export async function runStarter(args: readonly string[]): Promise<0 | CommandFailure['exitCode']> {
  const json = args.includes('--json');
  const answering: Answering =
    (run) =>
    async (...given) => {
      const answer = await run(...given);
      process.stdout.write(`${json ? JSON.stringify(answer.json, undefined, 2) : answer.text}\n`);
    };
  const program = createProgram(answering);
  if (args.length === 0) {
    program.outputHelp({ error: true });
    return USAGE;
  }
  try {
    await Promise.race([program.parseAsync(args, { from: 'user' }), interruption()]);
    return 0;
  } catch (error) {
    if (isHelp(error)) return 0;
    const failure = toCommandFailure(error);
    const { type, message, details, exitCode } = failure;
    if (json)
      process.stdout.write(`${JSON.stringify({ error: { type, message, details } }, undefined, 2)}\n`);
    process.stderr.write(`${style(process.stderr, 'red', textOf(failure))}\n`);
    return exitCode;
  }
}

const plainHelp = new Help();

function createProgram(answering: Answering): Command {
  const program = new Command('starter')
    .description('Starts, watches and repeats generations and pipelines.')
    // All have options; without the word the descriptions have room to wrap at 80 columns.
    .configureHelp({
      subcommandTerm: (command) => plainHelp.subcommandTerm(command).replace(' [options]', ''),
    });
  for (const create of COMMANDS) {
    const command = create(answering).option(
      '--json',
      'one JSON document on standard output, all else on standard error',
    );
    program.addCommand(command);
  }
  // Errors are printed in one place, below; commander would end the process.
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .configureOutput({ outputError: () => undefined })
      .showSuggestionAfterError();
  }
  return program;
}

function textOf(failure: CommandFailure): string {
  const { type, message } = failure;
  if (type === 'USAGE') return `${message}\n(npm run starter -- --help shows the commands)`;
  const said = [
    'CONFIGURATION',
    'TEMPORAL_UNREACHABLE',
    'KEY_IN_USE',
    'NOT_FOUND',
    'CLOSED',
    'REFUSED',
    'INTERRUPTED',
    'UNEXPECTED',
  ];
  return said.includes(type) ? message : describeFailure(failure);
}

function isHelp(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  // `--help`, and the command `help`.
  return code === 'commander.helpDisplayed' || code === 'commander.help';
}
