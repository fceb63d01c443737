import type { Client, Connection } from '@temporalio/client';
import type { DarkroomClient } from '../client/darkroom-client.ts';
import type { ClientFiles } from '../client/files/client-files.ts';
import type { GenerationHandle } from '../client/generation-handle.ts';
import { type ClientConfig, loadClientConfig } from '../config/client-config.ts';
import { UsageError } from './failures/usage-error.ts';

/** A person waits: a collector that does not answer gets no longer than this (milliseconds). */
const LONGEST_FLUSH = 1_500;

/** A connection to Temporal for one command. */
export interface Session {
  config: ClientConfig;
  temporal: Client & { connection: Connection };
  darkroom: DarkroomClient;
  files: ClientFiles;
}

/**
 * Connects as the environment says, for as long as `use` takes.
 *
 * @throws TemporalFailure in the place of what Temporal's client throws
 */
export async function withSession<T>(use: (session: Session) => Promise<T>): Promise<T> {
  const config = loadClientConfig();
  // Loaded here: most of a start is Temporal's client, and a request that is wrong is refused without it.
  const [{ connectClient }, { DarkroomClient }, { ClientFiles }, { tracing }, { fromTemporal }] =
    await Promise.all([
      import('../temporal/connection.ts'),
      import('../client/darkroom-client.ts'),
      import('../client/files/client-files.ts'),
      import('../temporal/tracing.ts'),
      import('./failures/from-temporal.ts'),
    ]);
  const traces = await tracing();
  const temporal = await connectClient(config.temporal, traces);
  try {
    const darkroom = new DarkroomClient(temporal, { taskQueue: config.taskQueue, models: config.models });
    return await use({ config, temporal, darkroom, files: new ClientFiles(config) });
  } catch (error) {
    throw fromTemporal(error);
  } finally {
    await traces?.flush(LONGEST_FLUSH);
    await temporal.connection.close();
  }
}

/** Where the generations of other runs are. */
const BELOW = {
  pipeline: ['one of its steps', '<step>'],
  batch: ['a step of one of its rows', '<row>/<step>'],
} as const;

/**
 * For what a worker does with a generation when it is told to.
 *
 * @param id of the workflow, or its key
 * @throws UsageError for another run, NoWorker where nobody would do it
 */
export async function withGeneration<T>(
  id: string,
  use: (handle: GenerationHandle) => Promise<T>,
): Promise<T> {
  return await withSession(async ({ darkroom, temporal }) => {
    const [{ knownId }, { needWorker }] = await Promise.all([
      import('./request/known-id.ts'),
      import('./follow/silence.ts'),
    ]);
    const handle = await darkroom.attach(await knownId(temporal, id));
    const { workflowId, kind } = handle;
    if (handle.kind !== 'generation') {
      const [what, path] = BELOW[handle.kind];
      throw new UsageError(`${workflowId} is a ${kind}; name ${what}: ${workflowId}/${path}`);
    }
    await needWorker(temporal, workflowId);
    return await use(handle);
  });
}
