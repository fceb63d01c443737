import type { Client } from '@temporalio/client';
import type { ModelOverrides } from '../api/models/override.ts';
import type { RemoteClock } from '../api/remote-clock.ts';
import type { WorkspaceTask } from '../contract/tasks/workspace-task.ts';
import type { DownloadRules } from '../outputs/download/download.ts';
import type { InputFiles } from '../outputs/inputs/input-files.ts';
import type { PublicUrl } from '../outputs/public-outputs.ts';
import type { OutputStore } from '../outputs/stores/output-store.ts';
import type { PipelineGenerations } from '../temporal/reuse/pipeline-generations.ts';
import type { Traced } from '../temporal/tracing.ts';
import type { Payers } from './account/payers.ts';
import type { Prices } from './account/prices.ts';
import type { ApiAccess } from './api-access.ts';
import type { Callbacks } from './callback/send-callback.ts';
import type { RefusedWorkspaces } from './credit-gate/refused-workspaces.ts';
import type { PlaceSettings } from './darkroom-check/check-place.ts';
import type { BalanceWatch } from './generation/balance-watch.ts';
import type { Lookouts } from './generation/lookouts.ts';
import type { NormalizedInputs } from './generation/normalized-inputs.ts';
import type { SubmitAudit } from './generation/submit-audit.ts';
import type { Takeovers } from './generation/takeovers.ts';
import type { DarkroomMetrics } from './metrics.ts';
import type { Outlooks } from './outlooks.ts';
import type { EarlierChildren } from './parents/earlier-children.ts';
import type { StallWatch } from './stall-watch.ts';
import type { SubmitPacing } from './submit-pace/submit-pacing.ts';
import type { SubmitRates } from './submit-pace/submit-rates.ts';
import type { Troubles } from './troubles.ts';
import type { OpenLooks } from './unclaimed-tasks/open-looks.ts';
import type { StartedGenerations } from './unclaimed-tasks/started-generations.ts';
import type { Withdrawals } from './unclaimed-tasks/withdrawals.ts';
import type { WarningLog } from './warning-log.ts';
import type { WebhookWatch } from './webhook-watch.ts';

/** Where the receiver of this process looks up which workflow submitted a task, and whether one may be about to. */
interface TaskRouteRegistry {
  /** @returns to be called when the submit has ended */
  submitting(workspace: string): () => void;
  register(task: WorkspaceTask, workflowId: string): void;
}

/** Where the receiver of this process looks up when a task's submit began. */
interface SubmitTimes {
  /** @param began in milliseconds since the epoch, by the clock that dates the API's answers */
  submitted(task: WorkspaceTask, began: number): void;
}

/** All that the activities reach out to. */
export interface ActivityDeps extends ApiAccess {
  models: ModelOverrides;
  /** The policy subset of DARKROOM_CONFIG, already checked; laid under each request's own. */
  policy: unknown;
  store: OutputStore;
  /** The time of the dump from which Temporal's database was restored (milliseconds since the epoch): since then the store knows more. */
  restoredSince: number | undefined;
  downloads: DownloadRules;
  publicUrl: PublicUrl;
  /** The files of the store that requests may name. */
  files: InputFiles;
  callbacks: Callbacks;
  routes: TaskRouteRegistry;
  recordsClock: SubmitTimes;
  balances: BalanceWatch;
  refused: RefusedWorkspaces;
  lookouts: Lookouts;
  audit: SubmitAudit;
  takeovers: Takeovers;
  normalized: NormalizedInputs;
  stalls: StallWatch;
  /** Temporal's clock, by when submits were scheduled. */
  temporalClock: RemoteClock;
  pacing: SubmitPacing;
  rates: SubmitRates;
  generations: StartedGenerations;
  pipelines: PipelineGenerations;
  children: EarlierChildren;
  withdrawals: Withdrawals;
  looks: OpenLooks;
  payers: Payers;
  prices: Prices;
  metrics: DarkroomMetrics;
  troubles: Troubles;
  outlooks: Outlooks;
  webhooks: WebhookWatch;
  traced: Traced;
  place: PlaceSettings;
  log: WarningLog;
  temporal: Client;
  taskQueue: string;
}
