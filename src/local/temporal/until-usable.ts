import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../contract/search-attributes.ts';

const RETRY_AFTER = 20;
const TRY_FOR = 2_000;
/** gRPC waits a second after a refused connection; a server that is just starting is there long before. */
const QUICK_RECONNECT = {
  'grpc.initial_reconnect_backoff_ms': 20,
  'grpc.min_reconnect_backoff_ms': 20,
  'grpc.max_reconnect_backoff_ms': 100,
};

/**
 * Waits until a Temporal server answers for `namespace` and takes queries by Darkroom's search attributes: a server
 * that says that it serves may still refuse either for half a second (measured on 1.31).
 *
 * @throws the server's last answer, after `timeout` milliseconds or when `signal` is aborted.
 */
export async function untilUsable(
  address: string,
  namespace: string,
  timeout: number,
  signal: AbortSignal,
): Promise<void> {
  const deadline = Date.now() + timeout;
  const query = SEARCH_ATTRIBUTES.map(({ name }) => `${name} IS NULL`).join(' AND ');
  for (;;) {
    // Short tries: a connection attempt cannot be cancelled, and would keep this process alive.
    const connection = Connection.lazy({ address, channelArgs: QUICK_RECONNECT, connectTimeout: TRY_FOR });
    try {
      await connection.ensureConnected();
      await connection.withDeadline(Date.now() + TRY_FOR, async () => {
        await connection.workflowService.describeNamespace({ namespace });
        await connection.workflowService.countWorkflowExecutions({ namespace, query });
      });
      return;
    } catch (error) {
      if (signal.aborted || Date.now() > deadline) throw error;
      await delay(RETRY_AFTER);
    } finally {
      await connection.close();
    }
  }
}
