import { collectDefaultMetrics, type Registry } from 'prom-client';
import { Operations, type OperationsDeps } from '../operations/operations.ts';
import { OperationsServer } from '../operations/operations-server.ts';
import { ListenFailed } from './listen-failed.ts';

/**
 * Serves health, readiness and metrics at an address of their own, with the process's own metrics among them.
 *
 * @throws ListenFailed
 */
export async function startOperations(
  address: { host: string; port: number },
  deps: OperationsDeps & { registry: Registry },
): Promise<OperationsServer> {
  collectDefaultMetrics({ register: deps.registry });
  const server = new OperationsServer(new Operations(deps));
  await server.listen(address).catch((error: unknown) => {
    const settings = { hostSetting: 'DARKROOM_METRICS_HOST', portSetting: 'DARKROOM_METRICS_PORT' };
    throw new ListenFailed(error, { what: 'the server of metrics and health', ...settings }, address);
  });
  return server;
}
