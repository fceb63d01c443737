import type { Client, Connection } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { Registry } from 'prom-client';
import { Accounts } from '../activities/account/accounts.ts';
import { Payers } from '../activities/account/payers.ts';
import { Prices } from '../activities/account/prices.ts';
import type { Callbacks } from '../activities/callback/send-callback.ts';
import { createActivities } from '../activities/create-activities.ts';
import { RefusedWorkspaces } from '../activities/credit-gate/refused-workspaces.ts';
import type { PlaceSettings } from '../activities/darkroom-check/check-place.ts';
import { BalanceWatch } from '../activities/generation/balance-watch.ts';
import { Lookouts } from '../activities/generation/lookouts.ts';
import { NormalizedInputs } from '../activities/generation/normalized-inputs.ts';
import { SubmitAudit, type SubmitAuditTimes } from '../activities/generation/submit-audit.ts';
import { Takeovers } from '../activities/generation/takeovers.ts';
import { DarkroomMetrics } from '../activities/metrics.ts';
import { Outlooks } from '../activities/outlooks.ts';
import { EarlierChildren } from '../activities/parents/earlier-children.ts';
import { StallWatch } from '../activities/stall-watch.ts';
import { fleetReports } from '../activities/submit-pace/fleet-reports.ts';
import { SubmitPacing } from '../activities/submit-pace/submit-pacing.ts';
import { SubmitRates } from '../activities/submit-pace/submit-rates.ts';
import { Troubles } from '../activities/troubles.ts';
import { StartedGenerations } from '../activities/unclaimed-tasks/started-generations.ts';
import { Withdrawals } from '../activities/unclaimed-tasks/withdrawals.ts';
import { WebhookWatch } from '../activities/webhook-watch.ts';
import { MediaApi } from '../api/client/media-api.ts';
import { RemoteClock } from '../api/remote-clock.ts';
import type { Config } from '../config/worker-config.ts';
import type { DarkroomActivities } from '../contract/activities.ts';
import { askedSeldom } from '../operations/asked-seldom.ts';
import { inputFiles } from '../outputs/inputs/input-files.ts';
import { OutputStoreFailed } from '../outputs/output-errors.ts';
import { createPublicUrl } from '../outputs/public-outputs.ts';
import { createOutputStore } from '../outputs/stores/create-store.ts';
import type { OutputStore } from '../outputs/stores/output-store.ts';
import { connectClient, connectWorker } from '../temporal/connection.ts';
import { ensureSearchAttributes } from '../temporal/register-search-attributes.ts';
import { PipelineGenerations } from '../temporal/reuse/pipeline-generations.ts';
import { TaskHandOver } from '../temporal/task-hand-over.ts';
import { createTemporalSink } from '../temporal/temporal-sink.ts';
import { type Tracing, tracing, untraced } from '../temporal/tracing.ts';
import { createReceiver } from '../webhooks/receiver.ts';
import { RECEIVER_DEFAULTS, type ReceiverConfig, type WorkspaceHook } from '../webhooks/receiver-config.ts';
import type { ReceiverLog } from '../webhooks/receiver-log.ts';
import { TaskRoutes } from '../webhooks/routing/task-routes.ts';
import { idOfHeaders, idOfKey, idOfSecret } from '../webhooks/signature/secret-ids.ts';
import { parseSecret } from '../webhooks/signature/secrets.ts';
import { checkRestored } from './check-restored.ts';
import { CleanupStack } from './cleanup-stack.ts';
import { countRuns } from './count-runs.ts';
import { ListenFailed, type Listening } from './listen-failed.ts';
import { measureEntities } from './measure-entities.ts';
import { preflight } from './preflight.ts';
import { startOperations } from './start-operations.ts';
import { type HostedParts, type RunningWorkers, startWorkers } from './start-workers.ts';
import { watchTemporal } from './watch-temporal.ts';
import { workflowBundle } from './workflow-bundle.ts';

export interface DarkroomOptions {
  /** Which halves run in this process. */
  worker: boolean;
  receiver: boolean;
  /**
   * Whether to ask the API once for every key before anything starts; `strict`: it has to answer now. Otherwise an API
   * that is away is warned of, and only one that takes no key at all stops the start.
   */
  preflight: boolean | 'strict';
  log: ReceiverLog;
  /** Other times than the usual ones for looking after accepted submits. */
  audit?: Partial<SubmitAuditTimes>;
  /**
   * Wraps the activities before the workers register them: to measure or log what they do, or to put another one in
   * the place of one in a test. What it hands back is what runs, so it has to keep the promises of each.
   */
  activities?: (activities: DarkroomActivities) => DarkroomActivities;
  /** How many activities run at once on each of the worker's queues; 200 when absent. */
  activitySlots?: number;
  /** What fails for less than so many milliseconds is no trouble; a minute when absent. */
  troubleLasts?: number | undefined;
  /** The metrics of Temporal's SDK in this process, shown with ours; see `installRuntime`. */
  sdkMetrics?: (() => Promise<string>) | undefined;
  /** Takes what runs on the main queue to a Worker of somebody else's, which has the workflows in its bundle. */
  host?: (parts: HostedParts) => void;
}

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
    if (options.worker) {
      const balances = options.preflight
        ? await preflight({
            api,
            apiUrl: config.apiUrl,
            workspaces: config.workspaces,
            log: options.log,
            isStrict: options.preflight === 'strict',
          })
        : undefined;
      await ensureSearchAttributes(client.connection, config.temporal.namespace);
      await checkRestored(client, config.restoredSince, options.log);
      const connection = await connectWorker(config.temporal);
      cleanup.defer(() => connection.close());
      countRuns(registry, client, config.taskQueue);
      measureEntities(registry, client, config.taskQueue);
      const metrics = new DarkroomMetrics(registry, config.workspaces.keys());
      const handOver = new TaskHandOver(client, config.taskQueue);
      const audit = new SubmitAudit(
        {
          temporal: client,
          find: (tasks) => sink.find(tasks),
          handOver: (workspace, notice) => handOver.tell(workspace, notice),
          metrics,
          log: options.log,
        },
        options.audit,
      );
      cleanup.defer(() => audit.stop());
      const started = await startWorkerHalf(config, {
        api,
        client,
        connection,
        routes,
        audit,
        metrics,
        troubles,
        webhooks,
        balances: new BalanceWatch({ api, workspaces: config.workspaces }, balances),
        log: options.log,
        wrap: options.activities,
        activitySlots: options.activitySlots ?? 200,
        host: options.host,
        traces,
        isStrict: options.preflight === 'strict',
      });
      cleanup.defer(() => started.stop());
      workers = started;
    }
    const receiver = options.receiver
      ? createReceiver({
          config: receiverConfig(config),
          sink,
          routes,
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

async function startWorkerHalf(
  config: Config,
  parts: {
    api: MediaApi;
    client: Client & { connection: Connection };
    connection: NativeConnection;
    routes: TaskRoutes;
    audit: SubmitAudit;
    metrics: DarkroomMetrics;
    troubles: Troubles;
    webhooks: WebhookWatch;
    balances: BalanceWatch;
    log: ReceiverLog;
    wrap: DarkroomOptions['activities'];
    activitySlots: number;
    host: DarkroomOptions['host'];
    traces: Tracing | undefined;
    isStrict: boolean;
  },
): Promise<RunningWorkers> {
  const { taskQueue, models, policy } = config;
  const workspaces = new Map(
    [...config.workspaces].map(([name, { apiKey, headers, webhookSecrets }]) => [
      name,
      { apiKey, headers, takesWebhooks: webhookSecrets.length > 0 },
    ]),
  );
  const store = createOutputStore(config.outputs);
  await checkStore(store, parts);
  const rates = new SubmitRates({ temporal: parts.client, taskQueue, log: parts.log });
  const takeovers = new Takeovers();
  const stalls = new StallWatch();
  const payers = new Payers(new Accounts(parts.client, taskQueue), config.caps ?? [], parts);
  const activities = createActivities({
    api: parts.api,
    workspaces,
    models,
    policy,
    store,
    restoredSince: config.restoredSince,
    downloads: { allowPrivate: config.privateOutputs },
    publicUrl: createPublicUrl(config.outputs, config.publicOutputs),
    files: inputFiles(config.outputs, config.publicOutputs),
    callbacks: callbacksOf(config),
    routes: parts.routes,
    audit: parts.audit,
    takeovers,
    normalized: new NormalizedInputs(models, parts.metrics, parts.log),
    balances: parts.balances,
    refused: new RefusedWorkspaces(parts.client, taskQueue),
    lookouts: new Lookouts(),
    stalls,
    temporalClock: new RemoteClock(),
    pacing: new SubmitPacing(fleetReports(parts.client, taskQueue, parts.log)),
    rates,
    generations: new StartedGenerations(parts.client, models),
    pipelines: new PipelineGenerations(parts.client),
    children: new EarlierChildren(parts.client),
    withdrawals: new Withdrawals(parts.client, taskQueue),
    payers,
    prices: new Prices(parts),
    metrics: parts.metrics,
    troubles: parts.troubles,
    outlooks: new Outlooks(parts.webhooks, workspaces),
    webhooks: parts.webhooks,
    traced: parts.traces?.traced ?? untraced,
    place: placeSettings(config),
    log: parts.log,
    temporal: parts.client,
    taskQueue,
  });
  void rates.releaseAbandoned(workspaces.keys());
  const workers = await startWorkers({
    connection: parts.connection,
    namespace: config.temporal.namespace,
    taskQueue,
    workflowBundle: () => workflowBundle(parts.traces),
    traces: parts.traces,
    activities: parts.wrap?.(activities) ?? activities,
    onHeld(task, workflowId, isReplaying) {
      const isNew = parts.routes.confirm(task, workflowId);
      if (isNew && isReplaying) takeovers.add(task);
      parts.audit.arrived(task);
    },
    metrics: parts.metrics,
    deployment: config.deployment,
    activitySlots: parts.activitySlots,
    host: parts.host,
  });
  return {
    ...workers,
    async stop() {
      await workers.stop();
      await payers.stop();
      stalls.stop();
    },
  };
}

/** By ids, so that people can compare what a program has with what another one has. */
function placeSettings({ apiUrl, workspaces }: Config): PlaceSettings {
  const all = [...workspaces];
  return {
    apiUrl,
    keyIds: new Map(all.map(([name, { apiKey }]) => [name, idOfKey(apiKey)])),
    secretIds: new Map(all.map(([name, { webhookSecrets }]) => [name, webhookSecrets.map(idOfSecret)])),
    headerIds: new Map(
      all.map(([name, { apiKey, headers = {} }]) => [
        name,
        Object.keys(headers).length === 0 ? 'none' : idOfHeaders(headers, apiKey),
      ]),
    ),
  };
}

function callbacksOf({
  callbacks: { prefixes, secrets } = { prefixes: [], secrets: [] },
}: Config): Callbacks {
  return { prefixes, secrets, isSigned: secrets.length > 0 };
}

/**
 * A store that is away is warned of: there are tasks to submit and to wait for, and their files are stored when it is
 * back.
 *
 * @throws OutputStoreFailed for one that is configured in a way that cannot work
 */
async function checkStore(
  store: OutputStore,
  { log, isStrict }: { log: ReceiverLog; isStrict: boolean },
): Promise<void> {
  try {
    await store.check();
  } catch (error) {
    if (isStrict || !(error instanceof OutputStoreFailed) || !error.isAway) throw error;
    log.warn({ place: error.place }, `${error.message}. Files are stored once it is back`);
  }
}

const WEBHOOKS: Listening = {
  what: 'the webhook receiver',
  hostSetting: 'DARKROOM_WEBHOOK_HOST',
  portSetting: 'DARKROOM_WEBHOOK_PORT',
};

function receiverConfig(config: Config): ReceiverConfig {
  const workspaces = [...config.workspaces].map(
    ([name, { webhookSecrets, legacy, webhook }]): [string, WorkspaceHook] => [
      name,
      {
        secrets: webhookSecrets.map((secret) => parseSecret(secret, webhook?.secrets)),
        legacy,
        ids: webhook?.ids,
        legacyHeaders: webhook?.legacyHeaders,
      },
    ],
  );
  return { ...RECEIVER_DEFAULTS, ...config.webhook, workspaces: new Map(workspaces) };
}

function baseUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
