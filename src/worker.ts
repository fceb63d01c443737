import { Command, Option } from 'commander';
import { loadConfig } from './config/worker-config.ts';
import { exitAsAsked } from './terminal/exit-codes.ts';
import { withExamples } from './terminal/with-examples.ts';
import { createLog, quietTemporal } from './worker/log.ts';
import { runProgram } from './worker/run-program.ts';
import { startDarkroom } from './worker/start-darkroom.ts';

interface Flags {
  receiver: boolean;
  receiverOnly?: true;
  preflight: boolean;
}

const program = new Command('worker')
  .description('Darkroom: the Temporal worker and the webhook receiver, together unless split.')
  .option('--no-receiver', 'the worker alone')
  .addOption(new Option('--receiver-only', 'the webhook receiver alone').conflicts('receiver'))
  .option('--no-preflight', 'start without asking the media API for the balance first')
  .exitOverride(exitAsAsked)
  .action((flags: Flags) =>
    runProgram(async () => {
      const config = loadConfig();
      const log = createLog(config.logLevel);
      quietTemporal(log);
      const worker = flags.receiverOnly !== true;
      const receiver = worker ? flags.receiver : true;
      const darkroom = await startDarkroom(config, { worker, receiver, preflight: flags.preflight, log });
      log.info(
        {
          temporal: config.temporal.address,
          namespace: config.temporal.namespace,
          ...(worker ? { taskQueue: config.taskQueue, api: config.apiUrl } : {}),
          ...(receiver ? { webhooks: darkroom.webhookUrl } : {}),
          ...(darkroom.metricsUrl === undefined ? {} : { metrics: darkroom.metricsUrl }),
        },
        `${[worker ? 'worker' : [], receiver ? 'webhook receiver' : []].flat().join(' and ')} running`,
      );
      return darkroom;
    }),
  );

await withExamples(
  program,
  'npm run worker',
  'npm run worker -- --no-receiver',
  'DARKROOM_WEBHOOK_HOST=0.0.0.0 npm run worker -- --receiver-only',
).parseAsync();
