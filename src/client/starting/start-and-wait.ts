import { formatDuration, parseDuration } from '../../policy/duration.ts';
import { TemporalUnreachable } from '../../temporal/temporal-unreachable.ts';
import { StillRunningError } from '../failures/still-running-error.ts';
import type { StartOptions, WaitOptions } from '../options.ts';
import { type WorkflowKind, workflowIdOf } from '../workflow-id.ts';

/**
 * Starts a run and waits for its result, within one time: the id is known before the start, and so is told where that
 * is not answered.
 *
 * @throws StillRunningError, which may be of a run whose start was not taken
 */
export async function startAndWait<Options extends StartOptions & WaitOptions, Result>(
  kind: WorkflowKind,
  options: Options,
  start: (options: Options) => Promise<{ result(options: Options): Promise<Result> }>,
): Promise<Result> {
  const { signal, timeout } = options;
  signal?.throwIfAborted();
  const workflowId = workflowIdOf(kind, options.key);
  const milliseconds = timeout === undefined ? undefined : parseDuration(timeout);
  const startedAt = Date.now();
  const handle = await start({ ...options, key: workflowId }).catch((error: unknown) => {
    if (signal?.aborted === true)
      throw new StillRunningError(workflowId, 'its start was aborted', { cause: error });
    if (milliseconds !== undefined && error instanceof TemporalUnreachable)
      throw new StillRunningError(
        workflowId,
        `its start was not answered in ${formatDuration(milliseconds)}`,
        {
          cause: error,
        },
      );
    throw error;
  });
  if (milliseconds === undefined) return await handle.result(options);
  const left = Math.max(1, milliseconds - (Date.now() - startedAt));
  return await handle.result({ ...options, timeout: left });
}
