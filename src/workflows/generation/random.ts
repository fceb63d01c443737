import { getRandomStream, type WorkflowRandomStream } from '@temporalio/workflow';

/**
 * Random numbers and ids that a replay draws again. Not `Math.random` or `uuid4`: an interceptor that makes spans draws
 * from these too, for queries as well, which are not replayed.
 */
export function ownRandom(): WorkflowRandomStream {
  return getRandomStream('darkroom');
}
