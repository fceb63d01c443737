import type { Config } from '../../src/config/worker-config.ts';
import type { Point } from './hooks.ts';

/** What a worker process is started with. */
export interface WorkerSetup {
  config: Omit<Config, 'workspaces'> & {
    workspaces: [string, Config['workspaces'] extends ReadonlyMap<string, infer W> ? W : never][];
  };
  /** Somebody's own workflows, as a bundle, and their queue. */
  own: { taskQueue: string; code: string };
  worker: boolean;
  receiver: boolean;
  /** How far its clock is ahead (ms). */
  clockAhead: number;
}

/** To the worker. */
export type ToWorker =
  | { kind: 'setup'; setup: WorkerSetup }
  | { kind: 'go on'; id: number }
  | { kind: 'visibility'; is: Visibility };

/** From the worker. */
export type FromWorker =
  | { kind: 'hello' }
  | { kind: 'running'; webhookUrl: string | undefined }
  | { kind: 'at'; id: number; point: Point }
  | { kind: 'failed'; message: string };

/** What a worker is told where it looks for runs. */
export type Visibility = 'right' | 'away' | 'behind';
