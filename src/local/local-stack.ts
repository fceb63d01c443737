import { randomBytes } from 'node:crypto';
import type { Config } from '../config/worker-config.ts';
import type { CleanupStack } from '../worker/cleanup-stack.ts';
import { createLog, quietTemporal } from '../worker/log.ts';
import { startDarkroom } from '../worker/start-darkroom.ts';
import { isEmulator } from './api-kind.ts';
import type { DevState } from './dev-state.ts';
import { type Emulator, readEnvironment } from './emulator.ts';
import { loadLocalConfig } from './local-config.ts';
import { connectWebhooks, startLocalEmulator } from './local-emulator.ts';
import { openTemporal } from './temporal/open-temporal.ts';

/** Everything that generating needs, running in this process (the Temporal server beside it). */
export interface LocalStack {
  /** As the parts were started: with the addresses that they have now. */
  config: Config;
  /** The Temporal Web UI; null where Temporal ran already. */
  uiUrl: string | null;
  /** Undefined where DARKROOM_API_URL names another API. */
  emulator: Emulator | undefined;
  /** Whether tasks cost real credits; where DARKROOM_API_URL names an emulator they do not. */
  isReal: boolean;
  webhookUrl: string;
  /** Settles, by rejecting, only when a part breaks. */
  failed: Promise<never>;
}

/**
 * Finds or starts Temporal, starts the emulator, the worker and the receiver. What was started is stopped by
 * `cleanup`, also when starting fails or is given up half-way.
 *
 * @param options `queueOfItsOwn`: on a Temporal server that ran already, keep out of the way of its other workers;
 *   `state`: keeps what is started here over restarts; `logs`: show what Temporal logs
 * @throws whatever a part could not be started for, each with a message that is meant to be printed as it is
 */
export async function startLocalStack(
  env: NodeJS.ProcessEnv,
  cleanup: CleanupStack,
  {
    queueOfItsOwn = false,
    logs = false,
    state,
  }: { queueOfItsOwn?: boolean; logs?: boolean; state?: DevState } = {},
): Promise<LocalStack> {
  const { config: loaded, emulated } = await loadLocalConfig(env, state?.access);
  const emulatorOptions = emulated ? readEnvironment(env) : undefined;
  const log = createLog(loaded.logLevel ?? 'error');
  quietTemporal(log);

  const crash = Promise.withResolvers<never>();
  crash.promise.catch(() => undefined); // heard by whoever waits for `failed`
  const temporal = await openTemporal({
    env,
    onCrash: crash.reject,
    logs,
    ...(state === undefined ? {} : { databaseFile: state.temporalDatabase }),
  });
  cleanup.defer(temporal.stop);
  const emulator =
    emulatorOptions === undefined
      ? undefined
      : await startLocalEmulator(loaded, {
          ...emulatorOptions,
          dbFile: emulatorOptions.dbFile ?? state?.emulatorDatabase,
        });
  if (emulator !== undefined) cleanup.defer(() => emulator.close());

  const config: Config = {
    ...loaded,
    taskQueue:
      queueOfItsOwn && !temporal.started && !env['DARKROOM_TASK_QUEUE']
        ? `${loaded.taskQueue}-${randomBytes(4).toString('hex')}`
        : loaded.taskQueue,
    apiUrl: emulator?.baseUrl ?? loaded.apiUrl,
    temporal: temporal.started
      ? { address: temporal.address, namespace: temporal.namespace }
      : loaded.temporal,
  };
  const darkroom = await startDarkroom(config, { worker: true, receiver: true, preflight: 'strict', log });
  cleanup.defer(() => darkroom.stop());
  const webhookUrl = darkroom.webhookUrl ?? '';
  if (emulator !== undefined) connectWebhooks(emulator, config, webhookUrl);
  const failed = Promise.race([darkroom.failed, crash.promise]);
  failed.catch(() => undefined);
  const isReal = emulator === undefined && !(await isEmulator(config.apiUrl));
  return { config, uiUrl: temporal.uiUrl, emulator, isReal, webhookUrl, failed };
}
