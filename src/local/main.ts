import { Command } from 'commander';
import { exitAsAsked } from '../terminal/exit-codes.ts';
import { style } from '../terminal/style.ts';
import { withExamples } from '../terminal/with-examples.ts';
import { DEFAULT_PROMPT } from './demo-pipeline.ts';

const program = new Command('local')
  .description('Darkroom with all that it needs, on this machine.')
  .exitOverride(exitAsAsked);

const start = program
  .command('start')
  .description('image → upscale → video for a prompt; everything is stopped at the end')
  .argument('[prompt...]', 'what the picture shows', [DEFAULT_PROMPT])
  .action(async (words: string[]) => {
    const prompt = words.join(' ');
    announce(`Darkroom: image → upscale → video for ${JSON.stringify(prompt)}`);
    const [{ runLocal }, { runDemo }] = await Promise.all([import('./run-local.ts'), import('./demo.ts')]);
    await runLocal((cleanup) => runDemo(prompt, process.env, cleanup));
  });

const dev = program
  .command('dev')
  .description(
    'Temporal, the emulator, the worker and the receiver, until Ctrl-C; state is kept in .darkroom',
  )
  .option('--fresh', 'begin with nothing and keep nothing; what .darkroom holds stays as it is')
  .option('--logs', 'show what the parts log')
  .action(async (flags: { fresh?: true; logs?: true }) => {
    announce('Darkroom: development');
    const [{ runLocal }, { runDev }] = await Promise.all([import('./run-local.ts'), import('./dev.ts')]);
    await runLocal((cleanup) => runDev(process.env, cleanup, flags), 0);
  });

withExamples(start, 'npm start', 'npm start -- "a lighthouse at dawn"');
withExamples(dev, 'npm run dev', 'EMULATOR_SPEED=20 npm run dev');
await withExamples(program, 'npm start', 'npm run dev').parseAsync();

/** Said before the parts are even loaded: that takes a second, and Temporal may have to be fetched first. */
function announce(what: string): void {
  process.stdout.write(
    `${style(process.stdout, 'bold', what)}\n  starting Temporal, the media API, the worker and the receiver …\n`,
  );
}
