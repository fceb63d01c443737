import { Command } from 'commander';
import { keepCompiledCode } from '../config/compile-cache.ts';
import { EMULATOR_PACKAGE } from '../package/name.ts';
import { LOCAL_PACKAGES, needPackages } from '../package/needed-packages.ts';
import { ownProgram } from '../package/own-command.ts';
import { style } from '../terminal/style.ts';
import { withExamples } from '../terminal/with-examples.ts';
import { DEFAULT_PROMPT } from './demo-pipeline.ts';

/** `demo`, which a clone's `npm start` calls `start`: from nothing to three files. */
export function demoCommand(name = 'demo'): Command {
  const command = new Command(name)
    .description('image → upscale → video for a prompt; everything is stopped at the end')
    .argument('[prompt...]', 'what the picture shows', [DEFAULT_PROMPT])
    .action(async (words: string[]) => {
      const prompt = words.join(' ');
      announce(`Darkroom: image → upscale → video for ${JSON.stringify(prompt)}`);
      needPackages('The demo', LOCAL_PACKAGES);
      keepCompiledCode();
      const [{ runLocal }, { runDemo }] = await Promise.all([import('./run-local.ts'), import('./demo.ts')]);
      await runLocal((cleanup) => runDemo(prompt, process.env, cleanup));
    });
  return withExamples(command, ownProgram('demo'), ownProgram('demo', 'a lighthouse at dawn'));
}

/** `dev`: everything up, until Ctrl-C. */
export function devCommand(): Command {
  const command = new Command('dev')
    .description(
      'Temporal, the emulator, the worker and the receiver, until Ctrl-C; state is kept in .darkroom',
    )
    .option('--fresh', 'begin with nothing and keep nothing; what .darkroom holds stays as it is')
    .option('--logs', 'show what the parts log')
    .action(async (flags: { fresh?: true; logs?: true }) => {
      announce('Darkroom: development');
      needPackages('Development on this machine', LOCAL_PACKAGES);
      keepCompiledCode();
      const [{ runLocal }, { runDev }] = await Promise.all([import('./run-local.ts'), import('./dev.ts')]);
      await runLocal((cleanup) => runDev(process.env, cleanup, flags), 0);
    });
  return withExamples(command, ownProgram('dev'), `EMULATOR_SPEED=20 ${ownProgram('dev')}`);
}

/** `emulator`: the media API alone. */
export function emulatorCommand(): Command {
  const command = new Command('emulator')
    .description('the media API on this machine, until Ctrl-C; EMULATOR_* variables say how')
    .action(async () => {
      needPackages('The emulator', [EMULATOR_PACKAGE]);
      const { runEmulator } = await import('./emulator.ts');
      process.exit(await runEmulator());
    });
  return withExamples(command, ownProgram('emulator'), `EMULATOR_PORT=4010 ${ownProgram('emulator')}`);
}

/** Said before the parts are even loaded: that takes a second, and Temporal may have to be fetched first. */
function announce(what: string): void {
  process.stdout.write(
    `${style(process.stdout, 'bold', what)}\n  starting Temporal, the media API, the worker and the receiver …\n`,
  );
}
