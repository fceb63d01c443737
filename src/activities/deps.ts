import type { Client } from '@temporalio/client';
import type { MediaApi } from '../api/client/media-api.ts';
import type { ModelOverrides } from '../api/models/override.ts';
import type { OutputAsset } from '../api/output-assets.ts';
import type { GenerationOutput } from '../workflows/contract.ts';

/** What the activities need of a workspace. */
export interface WorkspaceAccess {
  apiKey: string;
}

/** Where the receiver of this process looks up which workflow submitted a task. */
export interface TaskRouteRegistry {
  register(taskId: string, workflowId: string): void;
}

export interface StoreHooks {
  /** Stops the transfer. */
  signal: AbortSignal;
  /** Called while bytes arrive. */
  onProgress: () => void;
}

/** All that the activities reach out to. */
export interface ActivityDeps {
  api: MediaApi;
  workspaces: ReadonlyMap<string, WorkspaceAccess>;
  models: ModelOverrides;
  /** The policy subset of DARKROOM_CONFIG, already checked; laid under each request's own. */
  policy: unknown;
  /** Fetches one output and keeps it under a key; resumes where an earlier try has already stored it. */
  storeOutput: (asset: OutputAsset, key: readonly string[], hooks: StoreHooks) => Promise<GenerationOutput>;
  routes: TaskRouteRegistry;
  temporal: Client;
  taskQueue: string;
}
