import { Command, Option } from 'commander';
import { keepCompiledCode } from '../config/compile-cache.ts';
import { needPackages, WORKER_PACKAGES } from '../package/needed-packages.ts';
import { ownProgram } from '../package/own-command.ts';
import { withExamples } from '../terminal/with-examples.ts';

interface Flags {
  receiver: boolean;
  receiverOnly?: true;
  preflight: boolean;
}

/** `worker`: the Temporal worker and the webhook receiver, until they are told to stop. */
export function workerCommand(): Command {
  const command = new Command('worker')
    .description('the Temporal worker and the webhook receiver, together unless split')
    .option('--no-receiver', 'the worker alone')
    .addOption(new Option('--receiver-only', 'the webhook receiver alone').conflicts('receiver'))
    .option('--no-preflight', 'start without asking the media API for the balance first')
    .action(async (flags: Flags) => {
      needPackages('The worker', WORKER_PACKAGES);
      keepCompiledCode();
      // Loaded here: clients have neither the worker nor its native part.
      const { runWorker } = await import('./run-worker.ts');
      await runWorker({
        worker: flags.receiverOnly !== true,
        receiver: flags.receiverOnly === true || flags.receiver,
        preflight: flags.preflight,
      });
    });
  return withExamples(
    command,
    ownProgram('worker'),
    ownProgram('worker', '--no-receiver'),
    `DARKROOM_WEBHOOK_HOST=0.0.0.0 ${ownProgram('worker', '--receiver-only')}`,
  );
}
