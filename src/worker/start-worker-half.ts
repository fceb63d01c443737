import type { Client, Connection } from '@temporalio/client';
import type { Registry } from 'prom-client';
import { Accounts } from '../activities/account/accounts.ts';
import { Payers } from '../activities/account/payers.ts';
import { Prices } from '../activities/account/prices.ts';
import { createActivities } from '../activities/create-activities.ts';
import { RefusedWorkspaces } from '../activities/credit-gate/refused-workspaces.ts';
import { BalanceWatch } from '../activities/generation/balance-watch.ts';
import { Lookouts } from '../activities/generation/lookouts.ts';
import { NormalizedInputs } from '../activities/generation/normalized-inputs.ts';
import { SubmitAudit } from '../activities/generation/submit-audit.ts';
import { Takeovers } from '../activities/generation/takeovers.ts';
import { DarkroomMetrics } from '../activities/metrics.ts';
import { Outlooks } from '../activities/outlooks.ts';
import { EarlierChildren } from '../activities/parents/earlier-children.ts';
import { StallWatch } from '../activities/stall-watch.ts';
import { fleetReports } from '../activities/submit-pace/fleet-reports.ts';
import { SubmitPacing } from '../activities/submit-pace/submit-pacing.ts';
import { SubmitRates } from '../activities/submit-pace/submit-rates.ts';
import type { Troubles } from '../activities/troubles.ts';
import { OpenLooks } from '../activities/unclaimed-tasks/open-looks.ts';
import { StartedGenerations } from '../activities/unclaimed-tasks/started-generations.ts';
import { Withdrawals } from '../activities/unclaimed-tasks/withdrawals.ts';
import type { WebhookWatch } from '../activities/webhook-watch.ts';
import type { MediaApi } from '../api/client/media-api.ts';
import { RemoteClock } from '../api/remote-clock.ts';
import type { Config } from '../config/worker-config.ts';
import { inputFiles } from '../outputs/inputs/input-files.ts';
import { OutputStoreFailed } from '../outputs/output-errors.ts';
import { createPublicUrl } from '../outputs/public-outputs.ts';
import { createOutputStore } from '../outputs/stores/create-store.ts';
import type { OutputStore } from '../outputs/stores/output-store.ts';
import { connectWorker } from '../temporal/connection.ts';
import { ensureSearchAttributes } from '../temporal/register-search-attributes.ts';
import { PipelineGenerations } from '../temporal/reuse/pipeline-generations.ts';
import { TaskHandOver } from '../temporal/task-hand-over.ts';
import type { createTemporalSink } from '../temporal/temporal-sink.ts';
import { type Tracing, untraced } from '../temporal/tracing.ts';
import type { ReceiverLog } from '../webhooks/receiver-log.ts';
import type { RecordsClock } from '../webhooks/routing/records-clock.ts';
import type { TaskRoutes } from '../webhooks/routing/task-routes.ts';
import { checkRestored } from './check-restored.ts';
import type { CleanupStack } from './cleanup-stack.ts';
import { countRuns } from './count-runs.ts';
import type { DarkroomOptions } from './darkroom-options.ts';
import { measureEntities } from './measure-entities.ts';
import { preflight } from './preflight.ts';
import { placeSettings, workspaceAccess } from './settings-of-parts.ts';
import { type RunningWorkers, startWorkers } from './start-workers.ts';
import { workflowBundle } from './workflow-bundle.ts';

/** What a process has, whichever half of Darkroom runs in it. */
interface BothHalves {
  api: MediaApi;
  client: Client & { connection: Connection };
  traces: Tracing | undefined;
  routes: TaskRoutes;
  recordsClock: RecordsClock;
  sink: ReturnType<typeof createTemporalSink>;
  registry: Registry;
  troubles: Troubles;
  webhooks: WebhookWatch;
}

/** Starts the workers with all that their activities reach out to. @param cleanup stops it, also what a start that fails has begun */
export async function startWorkerHalf(
  config: Config,
  options: DarkroomOptions,
  { api, client, traces, routes, recordsClock, sink, registry, troubles, webhooks }: BothHalves,
  cleanup: CleanupStack,
): Promise<RunningWorkers> {
  const { log, activitySlots = 200, host } = options;
  const { taskQueue, models, policy, temporal } = config;
  const isStrict = options.preflight === 'strict';
  const { apiUrl } = config;
  const balances = options.preflight
    ? await preflight({ api, apiUrl, workspaces: config.workspaces, log, isStrict })
    : undefined;
  await ensureSearchAttributes(client.connection, temporal.namespace);
  await checkRestored(client, config.restoredSince, log);
  const connection = await connectWorker(temporal);
  cleanup.defer(() => connection.close());
  countRuns(registry, client, taskQueue);
  measureEntities(registry, client, taskQueue);
  const metrics = new DarkroomMetrics(registry, config.workspaces.keys());
  const handOver = new TaskHandOver(client, taskQueue);
  const audit = new SubmitAudit(
    {
      temporal: client,
      find: (tasks) => sink.find(tasks),
      handOver: (workspace, notice) => handOver.tell(workspace, notice),
      metrics,
      log,
    },
    options.audit,
  );
  cleanup.defer(() => audit.stop());
  const workspaces = workspaceAccess(config);
  const store = createOutputStore(config.outputs);
  await checkStore(store, log, isStrict);
  const rates = new SubmitRates({ temporal: client, taskQueue, log });
  const takeovers = new Takeovers();
  const stalls = new StallWatch();
  cleanup.defer(() => stalls.stop());
  const prices = new Prices({ log, metrics });
  const payers = new Payers(new Accounts(client, taskQueue), config.caps ?? [], { prices, log, metrics });
  cleanup.defer(() => payers.stop());
  const { prefixes, secrets } = config.callbacks ?? { prefixes: [], secrets: [] };
  const activities = createActivities({
    api,
    workspaces,
    models,
    policy,
    store,
    restoredSince: config.restoredSince,
    downloads: { allowPrivate: config.privateOutputs },
    publicUrl: createPublicUrl(config.outputs, config.publicOutputs),
    files: inputFiles(config.outputs, config.publicOutputs),
    callbacks: { prefixes, secrets, isSigned: secrets.length > 0 },
    routes,
    recordsClock,
    audit,
    takeovers,
    normalized: new NormalizedInputs(models, metrics, log),
    balances: new BalanceWatch({ api, workspaces: config.workspaces }, balances),
    refused: new RefusedWorkspaces(client, taskQueue),
    lookouts: new Lookouts(),
    stalls,
    temporalClock: new RemoteClock(),
    pacing: new SubmitPacing(fleetReports(client, taskQueue, log)),
    rates,
    generations: new StartedGenerations(client, models),
    pipelines: new PipelineGenerations(client),
    children: new EarlierChildren(client),
    withdrawals: new Withdrawals(client, taskQueue),
    looks: new OpenLooks(client, taskQueue),
    payers,
    prices,
    metrics,
    troubles,
    outlooks: new Outlooks(webhooks, workspaces),
    webhooks,
    traced: traces?.traced ?? untraced,
    place: placeSettings(config),
    log,
    temporal: client,
    taskQueue,
  });
  void rates.releaseAbandoned(workspaces.keys());
  const workers = await startWorkers({
    connection,
    namespace: temporal.namespace,
    taskQueue,
    workflowBundle: () => workflowBundle(traces),
    traces,
    activities: options.activities?.(activities) ?? activities,
    onHeld(task, workflowId, isReplaying) {
      const isNew = routes.confirm(task, workflowId);
      if (isNew && isReplaying) takeovers.add(task);
      audit.arrived(task);
    },
    metrics,
    deployment: config.deployment,
    activitySlots,
    host,
  });
  cleanup.defer(() => workers.stop());
  return workers;
}

/**
 * A store that is away is warned of: there are tasks to submit and to wait for, and their files are stored when it is
 * back.
 *
 * @throws OutputStoreFailed for one that is configured in a way that cannot work
 */
async function checkStore(store: OutputStore, log: ReceiverLog, isStrict: boolean): Promise<void> {
  try {
    await store.check();
  } catch (error) {
    if (isStrict || !(error instanceof OutputStoreFailed) || !error.isAway) throw error;
    log.warn({ place: error.place }, `${error.message}. Files are stored once it is back`);
  }
}
