import { describeVariables } from './config/environment.ts';

/**
 * The program takes no arguments but `--help`: variables say how it runs.
 *
 * @returns the exit code, where there is nothing to be run
 */
export function answerArguments(given: readonly string[]): number | undefined {
  if (given.length === 0) return undefined;
  if (given.every((word) => word === '--help' || word === '-h' || word === 'help')) {
    process.stdout.write(`${HELP}\n`);
    return 0;
  }
  process.stderr.write(
    `unknown argument ${JSON.stringify(given[0])}: the emulator takes variables alone; --help lists them\n`,
  );
  return 2;
}

const HELP = `Usage: darkroom-emulator   (from a clone: npm run emulator)

The media API on this machine, until Ctrl-C. What it is to be like is said by
variables, all of them optional:

${describeVariables()}

Example:
  EMULATOR_PORT=4010 EMULATOR_SPEED=20 npm run emulator`;
