import { flushCompileCache } from 'node:module';
import { loadConfig } from '../config/worker-config.ts';
import { createLog, quietTemporal } from './log.ts';
import { runProgram } from './run-program.ts';
import { type DarkroomOptions, startDarkroom } from './start-darkroom.ts';

/** The program `npm run worker`, once its command line is read: runs until it is told to stop. */
export async function runWorker(
  options: Pick<DarkroomOptions, 'worker' | 'receiver' | 'preflight'>,
): Promise<void> {
  const { worker, receiver } = options;
  await runProgram(async () => {
    const config = loadConfig();
    const log = createLog(config.logLevel);
    quietTemporal(log);
    const darkroom = await startDarkroom(config, { ...options, log });
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
    flushCompileCache(); // for the next start: a program that is killed does not get to it
    return darkroom;
  });
}
