import type { Client } from '@temporalio/client';
import type { MediaApi } from '../api/client/media-api.ts';
import type { ModelOverrides } from '../api/models/override.ts';
import type { DownloadRules } from '../outputs/download.ts';
import type { OutputStore } from '../outputs/output-store.ts';
import type { SubmitRates } from './apply-submit-rate.ts';
import type { BalanceWatch } from './balance-watch.ts';
import type { SubmitPacing } from './pacing/submit-pacing.ts';

/** What the activities need of a workspace. */
export interface WorkspaceAccess {
  apiKey: string;
}

/** Where the receiver of this process looks up which workflow submitted a task. */
export interface TaskRouteRegistry {
  register(taskId: string, workflowId: string): void;
}

/** For what an operator should put right. */
export interface WarningLog {
  warn(fields: object, message: string): void;
}

/** All that the activities reach out to. */
export interface ActivityDeps {
  api: MediaApi;
  workspaces: ReadonlyMap<string, WorkspaceAccess>;
  models: ModelOverrides;
  /** The policy subset of DARKROOM_CONFIG, already checked; laid under each request's own. */
  policy: unknown;
  store: OutputStore;
  downloads: DownloadRules;
  routes: TaskRouteRegistry;
  balances: BalanceWatch;
  pacing: SubmitPacing;
  rates: SubmitRates;
  temporal: Client;
  taskQueue: string;
}
