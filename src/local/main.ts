import { Command } from 'commander';
import { ownProgram } from '../package/own-command.ts';
import { exitAsAsked } from '../terminal/exit-codes.ts';
import { withExamples } from '../terminal/with-examples.ts';
import { demoCommand, devCommand } from './commands.ts';

const program = new Command('local').description('Darkroom with all that it needs, on this machine.');
for (const command of [demoCommand('start'), devCommand()]) {
  program.addCommand(command.exitOverride(exitAsAsked));
}
await withExamples(program, ownProgram('demo'), ownProgram('dev')).exitOverride(exitAsAsked).parseAsync();
