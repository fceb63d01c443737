import { startDevServer } from '../../src/local/temporal/dev-server.ts';
import { findServer } from '../../src/local/temporal/find-server.ts';
import { type Measured, measuredProcess } from './program.ts';

/** A Temporal server of the bench's own. */
export interface TemporalServer {
  address: string;
  namespace: string;
  /** Where it tells what it does, in Prometheus' format; undefined where it does not. */
  metricsUrl?: string;
  /** The server's own processes. */
  process: Measured;
  stop(): Promise<void>;
}

/** The dev server, as `npm start` has it. Always one of our own: a shared one would be measured with its other work. */
export async function startDevTemporal(): Promise<TemporalServer> {
  const { address, namespace, metricsUrl, pid, stop } = await startDevServer({
    binary: await findTemporalCli(),
    ui: false,
    ports: { grpc: 0, ui: 0 },
    // Callers that wait for a result hold a call each; the server takes 1,200 at once by default.
    dynamicConfig: { 'frontend.namespaceCount': 5_000 },
  });
  return { address, namespace, metricsUrl, process: measuredProcess(pid ?? 0), stop }; // it runs, so it has one
}

/** The Temporal CLI's file. */
export async function findTemporalCli(): Promise<string> {
  const found = await findServer({ env: { ...process.env, TEMPORAL_ADDRESS: '' } });
  if (found.kind !== 'binary') throw new Error('the bench needs a Temporal server of its own');
  return found.path;
}
