import { flushCompileCache } from 'node:module';
import { doubtfulSettings } from '../config/doubtful-settings.ts';
import { loadConfig } from '../config/worker-config.ts';
import type { DarkroomOptions } from './darkroom-options.ts';
import { giveMemoryBack } from './give-memory-back.ts';
import { createLog, quietTemporal } from './log.ts';
import { runProgram } from './run-program.ts';
import { freePort, readSdkMetrics } from './sdk-metrics.ts';
import { startDarkroom } from './start-darkroom.ts';

/** Runs a worker, a receiver, or both as the environment says, until SIGINT or SIGTERM; then ends the process. */
export async function runWorker(
  halves: Pick<DarkroomOptions, 'worker' | 'receiver' | 'preflight' | 'activitySlots'>,
): Promise<void> {
  const { worker, receiver } = halves;
  await runProgram(async () => {
    const config = loadConfig(process.env, { callsApi: worker });
    const log = createLog(config.logLevel);
    const port = config.metrics === undefined ? undefined : await freePort();
    quietTemporal(log, port);
    for (const doubt of doubtfulSettings(config)) log.warn(doubt);
    const darkroom = await startDarkroom(config, {
      ...halves,
      log,
      ...(port === undefined ? {} : { sdkMetrics: () => readSdkMetrics(port) }),
    });
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
    giveMemoryBack();
    flushCompileCache(); // for the next start: a program that is killed does not get to it
    return darkroom;
  });
}
