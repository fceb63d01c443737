import type { Client, Connection } from '@temporalio/client';
import type { Troubles } from '../activities/troubles.ts';

/** Between two calls, in milliseconds. They are no billed actions. */
const PAUSE = 15_000;
const TIMEOUT = 10_000;

/** Asks now and then whether Temporal answers, and tells when it does not. @returns what ends it */
export function watchTemporal(client: Client & { connection: Connection }, troubles: Troubles): () => void {
  const { connection } = client;
  const timer = setInterval(() => {
    connection
      .withDeadline(Date.now() + TIMEOUT, () => connection.workflowService.getSystemInfo({}))
      .then(
        () => troubles.worked('temporal'),
        (error: unknown) => troubles.failed('temporal', { reason: messageOf(error) }),
      );
  }, PAUSE).unref();
  return () => clearInterval(timer);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
