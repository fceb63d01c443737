import { randomUUID } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { untilUsable } from '../local/temporal/until-usable.ts';
import { ensureSearchAttributes } from '../temporal/register-search-attributes.ts';

/** Milliseconds for each step: a server that runs elsewhere may take seconds to know a new namespace everywhere. */
const PATIENCE = 30_000;
/** Seconds for which the server keeps closed runs: the shortest that it takes. */
const RETENTION = 86_400;

/** A namespace that nobody else uses. */
export interface OwnNamespace {
  readonly namespace: string;
  /** Deletes it with all that is in it. */
  readonly remove: () => Promise<void>;
}

/**
 * Makes a namespace and waits until it can be used, search attributes included: the same key in another one is another
 * purchase.
 *
 * @throws Error where the server lets nobody make one
 */
export async function openOwnNamespace(address: string): Promise<OwnNamespace> {
  const namespace = `darkroom-test-${randomUUID()}`;
  await connected(address, async (connection) => {
    await connection.workflowService
      .registerNamespace({
        namespace,
        description: "A test's own; deleted at its end",
        workflowExecutionRetentionPeriod: { seconds: RETENTION as never }, // protobuf takes a number for a Long
      })
      .catch((error: unknown) => {
        throw new Error(
          `the Temporal server at ${address} lets nobody make the namespace that each test has for itself: unset TEMPORAL_ADDRESS, and one is started here`,
          { cause: error },
        );
      });
    await ensureSearchAttributes(connection, namespace);
  });
  await untilUsable(address, namespace, PATIENCE, new AbortController().signal);
  return {
    namespace,
    remove: () =>
      connected(address, async (connection) => {
        await connection.operatorService.deleteNamespace({ namespace });
      }),
  };
}

async function connected(address: string, use: (connection: Connection) => Promise<void>): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    await connection.withDeadline(Date.now() + PATIENCE, () => use(connection));
  } finally {
    await connection.close();
  }
}
