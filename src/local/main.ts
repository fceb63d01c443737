import { Command } from 'commander';
import { exitAsAsked } from '../terminal/exit-codes.ts';
import { runDemo } from './demo.ts';
import { DEFAULT_PROMPT } from './demo-pipeline.ts';
import { runDev } from './dev.ts';
import { runLocal } from './run-local.ts';

const program = new Command('local')
  .description('Darkroom with all that it needs, on this machine.')
  .exitOverride(exitAsAsked);

program
  .command('start')
  .description('image → upscale → video for a prompt; everything is stopped at the end')
  .argument('[prompt...]', 'what the picture shows', [DEFAULT_PROMPT])
  .action((words: string[]) => runLocal((cleanup) => runDemo(words.join(' '), process.env, cleanup)));

program
  .command('dev')
  .description('Temporal, the emulator, the worker and the receiver, until Ctrl-C')
  .action(() => runLocal((cleanup) => runDev(process.env, cleanup), 0));

await program.parseAsync();
