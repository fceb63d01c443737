import { DEFAULT_NAMESPACE } from '../../temporal/settings.ts';
import { type DevServerOptions, startDevServer } from './dev-server.ts';
import { type FindServerOptions, findServer } from './find-server.ts';

export interface OpenTemporal {
  readonly address: string;
  readonly namespace: string;
  /** The Web UI of a server that was started here; null for one that ran already, or was started without. */
  readonly uiUrl: string | null;
  /** Where a server that was started here tells what it does, in Prometheus' format. */
  readonly metricsUrl: string | null;
  /** Whether the server was started here, and ends with `stop` or with this process. */
  readonly started: boolean;
  /** Stops what was started here; a server that ran already is left alone. */
  readonly stop: () => Promise<void>;
}

/**
 * The Temporal server to use: the one at TEMPORAL_ADDRESS (namespace TEMPORAL_NAMESPACE, else `default`), else a dev
 * server that is started here.
 *
 * @throws TemporalUnavailableError when no server can be found, fetched or built; DevServerError when it does not start.
 */
export async function openTemporal(
  options: FindServerOptions & Omit<DevServerOptions, 'binary'> = {},
): Promise<OpenTemporal> {
  const env = options.env ?? process.env;
  const found = await findServer(options);
  if (found.kind === 'binary')
    return { ...(await startDevServer({ ...options, binary: found.path })), started: true };
  return {
    address: found.address,
    namespace: env['TEMPORAL_NAMESPACE'] || DEFAULT_NAMESPACE,
    uiUrl: null,
    metricsUrl: null,
    started: false,
    stop: async () => {},
  };
}
