import { ActivityFailure, isCancellation, log, TemporalFailure } from '@temporalio/workflow';

/**
 * Asks an entity for something that a run can go on without: it may be broken, or its id be another workflow's.
 *
 * @returns what `otherwise` makes of the reason, where it does not answer
 */
export async function askEntity<T>(asked: Promise<T>, otherwise: (why: string) => T): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    // A local activity's failure comes as it is, that of another one within an ActivityFailure.
    if (!(error instanceof TemporalFailure) || isCancellation(error)) throw error;
    const cause = error instanceof ActivityFailure ? (error.cause ?? error) : error;
    log.warn(`an entity does not answer: ${cause.message}`);
    return otherwise(cause.message);
  }
}
