import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { cacheDirectory } from './config/cache-directory.ts';
import { exitAsAsked } from './terminal/exit-codes.ts';
import { withExamples } from './terminal/with-examples.ts';

interface Flags {
  receiver: boolean;
  receiverOnly?: boolean;
  preflight: boolean;
}

const program = new Command('worker')
  .description('Darkroom: the Temporal worker and the webhook receiver, together unless split.')
  .option('--no-receiver', 'the worker alone')
  .addOption(new Option('--receiver-only', 'the webhook receiver alone').conflicts('receiver'))
  .option('--no-preflight', 'start without asking the media API for the balance first')
  .exitOverride(exitAsAsked)
  .action(async ({ receiver, receiverOnly = false, preflight }: Flags) => {
    // Before the parts are loaded: compiling what they are made of is half of a start.
    enableCompileCache(join(cacheDirectory(), 'compiled'));
    const { runWorker } = await import('./worker/run-worker.ts');
    await runWorker({ worker: !receiverOnly, receiver: receiverOnly || receiver, preflight });
  });

await withExamples(
  program,
  'npm run worker',
  'npm run worker -- --no-receiver',
  'DARKROOM_WEBHOOK_HOST=0.0.0.0 npm run worker -- --receiver-only',
).parseAsync();
