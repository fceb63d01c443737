import { Registry } from 'prom-client';
import { Troubles } from '../activities/troubles.ts';
import { WebhookWatch } from '../activities/webhook-watch.ts';
import { MediaApi } from '../api/client/media-api.ts';
import type { Config } from '../config/worker-config.ts';
import { askedSeldom } from '../operations/asked-seldom.ts';
import { connectClient } from '../temporal/connection.ts';
import { createTemporalSink } from '../temporal/temporal-sink.ts';
import { tracing } from '../temporal/tracing.ts';
import { createReceiver } from '../webhooks/receiver.ts';
import { RecordsClock } from '../webhooks/routing/records-clock.ts';
import { TaskRoutes } from '../webhooks/routing/task-routes.ts';
import { CleanupStack } from './cleanup-stack.ts';
import type { DarkroomOptions } from './darkroom-options.ts';
import { ListenFailed, type Listening } from './listen-failed.ts';
import { receiverConfig } from './settings-of-parts.ts';
import { startOperations } from './start-operations.ts';
import { startWorkerHalf } from './start-worker-half.ts';
import type { RunningWorkers } from './start-workers.ts';
import { watchTemporal } from './watch-temporal.ts';

/** A worker, a receiver, or both together in one process. */
export interface Darkroom {
  /** Where webhooks go, for the default workspace; undefined without a receiver. */
  webhookUrl: string | undefined;
  /** Where metrics are, with `/healthz` and `/readyz` beside them; undefined where they have no port of their own. */
  metricsUrl: string | undefined;
  /** Settles, by rejecting, only when the worker breaks. */
  failed: Promise<never>;
  /** Finishes what is in flight, then ends. */
  stop(): Promise<void>;
}

/**
 * Starts Darkroom as configured. Whatever fails, what was already started is stopped again.
 *
 * @throws TemporalUnreachable, PreflightFailed, SearchAttributesMissing, OutputStoreFailed or ListenFailed, each with
 *   a message that names the setting
 */
export async function startDarkroom(config: Config, options: DarkroomOptions): Promise<Darkroom> {
  const cleanup = new CleanupStack();
  try {
    const api = new MediaApi(config.apiUrl);
    cleanup.defer(() => api.close());
    const traces = await tracing(process.env, (message) => options.log.warn({ what: 'traces' }, message));
    cleanup.defer(() => traces?.flush());
    const client = await connectClient(config.temporal, traces);
    cleanup.defer(() => client.connection.close());
    const routes = new TaskRoutes();
    const recordsClock = new RecordsClock();
    const sink = createTemporalSink({ client, taskQueue: config.taskQueue });
    const registry = new Registry();
    const troubles = new Troubles(registry, options.log, options.troubleLasts);
    const webhooks = new WebhookWatch(troubles, options.receiver);
    cleanup.defer(watchTemporal(client, troubles));
    let isRunning = false;
    let workers: RunningWorkers | undefined;
    const isReachable = askedSeldom(() => sink.reachable());
    const isWorking = (): boolean => isRunning && (workers?.isRunning() ?? true);
    const isReady = async (): Promise<boolean> => isWorking() && (await isReachable());
    const operations =
      config.metrics === undefined
        ? undefined
        : await startOperations(config.metrics, { registry, isReady, more: options.sdkMetrics });
    // Ends last but for the connections: it tells how the rest comes to its end.
    cleanup.defer(() => operations?.close());
    const both = { api, client, traces, routes, recordsClock, sink, registry, troubles, webhooks };
    if (options.worker) workers = await startWorkerHalf(config, options, both, cleanup);
    const receiver = options.receiver
      ? createReceiver({
          config: receiverConfig(config),
          sink,
          routes,
          recordsClock,
          log: options.log,
          registry,
          operationsElsewhere: operations !== undefined,
          isWorking,
          onEvent: (workspace) => webhooks.heard(workspace),
        })
      : undefined;
    if (receiver !== undefined) {
      await receiver.listen().catch((error: unknown) => {
        throw new ListenFailed(error, WEBHOOKS, config.webhook);
      });
      // Closed first: events that arrive while it drains still find a worker.
      cleanup.defer(() => receiver.close());
    }
    const running = cleanup.move();
    isRunning = true;
    return {
      webhookUrl: receiver && `${baseUrl(config.webhook.host, receiver.port)}/webhooks`,
      metricsUrl: config.metrics && operations && `${baseUrl(config.metrics.host, operations.port)}/metrics`,
      failed: workers?.failed ?? new Promise<never>(() => undefined),
      stop() {
        isRunning = false;
        return running.disposeAsync();
      },
    };
  } catch (error) {
    await cleanup.disposeAsync();
    throw error;
  }
}

const WEBHOOKS: Listening = {
  what: 'the webhook receiver',
  hostSetting: 'DARKROOM_WEBHOOK_HOST',
  portSetting: 'DARKROOM_WEBHOOK_PORT',
};

function baseUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
