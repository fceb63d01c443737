import type { Client, Connection } from '@temporalio/client';
import type { ModelOverrides } from '../api/models/override.ts';
import { ClientFiles } from './files/client-files.ts';
import { storeOf } from './files/store-of.ts';

/** What `connect` reads from the environment. */
export interface DarkroomClientOptions {
  /** Where work is started: `darkroom` when absent. */
  taskQueue?: string | undefined;
  /**
   * `models` of the worker's DARKROOM_CONFIG. Without them, what only they could allow is left to the worker: fields
   * that Darkroom does not know, and rules between fields that are assumed.
   */
  models?: ModelOverrides | undefined;
  /** The worker's DARKROOM_OUTPUTS, where files of requests go; this process's, or `./outputs`, when absent. */
  outputs?: string | undefined;
  /** The worker's DARKROOM_PUBLIC_OUTPUTS, for `url`; this process's when absent. */
  publicOutputs?: string | undefined;
}

/** What every call of the client needs: Temporal, the store of files, and what is known of the models. */
export abstract class ConnectedClient implements AsyncDisposable {
  readonly temporal: Client;
  /** Where work is started. */
  readonly taskQueue: string;
  /** The connection that `connect` made; one that was passed in is its owner's to close. */
  protected connection: Connection | undefined;
  protected readonly overrides: ModelOverrides | undefined;
  protected readonly files: ClientFiles;
  /** Has the key of the media API, for who asks for its balance. */
  protected env: NodeJS.ProcessEnv = process.env;

  /** For a Temporal client of one's own; it must use the default payload converter. */
  constructor(temporal: Client, options: DarkroomClientOptions = {}) {
    this.temporal = temporal;
    this.taskQueue = options.taskQueue ?? 'darkroom';
    this.overrides = options.models;
    this.files = new ClientFiles(storeOf(options));
  }

  async close(): Promise<void> {
    await this.connection?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
