import { demoCommand, devCommand, emulatorCommand } from './local/commands.ts';
import { runStarter } from './starter/program.ts';
import { outliveReaders } from './terminal/outlive-readers.ts';
import { workerCommand } from './worker/worker-command.ts';

// A reader that has gone must not end a command that still waits for what it paid for.
outliveReaders();
const programs = [demoCommand(), devCommand(), workerCommand(), emulatorCommand()];
const exitCode = await runStarter(process.argv.slice(2), programs);
// Whatever is still under way (an unanswered query) is of no use any more; what was written goes out first.
process.stdout.write('', () => process.exit(isLost(process.stdout.errored) ? 1 : exitCode));

/** Whether the answer could not be written though somebody wants it: the disk is full, say. */
function isLost(error: NodeJS.ErrnoException | null): boolean {
  return error !== null && error.code !== 'EPIPE';
}
