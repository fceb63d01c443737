import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { TelemetryOptions } from '@temporalio/worker';

const TIMEOUT = 5_000;

/** The SDK serves its metrics itself: on this machine alone, from where ours take them along. */
export function sdkMetricsAt(port: number): NonNullable<TelemetryOptions['metrics']> {
  return {
    prometheus: {
      bindAddress: `127.0.0.1:${port}`,
      // As Prometheus names counters and units.
      countersTotalSuffix: true,
      unitSuffix: true,
      useSecondsForDurations: true,
    },
  };
}

/** Empty while the SDK has none to show. */
export async function readSdkMetrics(port: number): Promise<string> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(TIMEOUT) });
    return answer.ok ? await answer.text() : '';
  } catch {
    return ''; // ours are shown in any case
  }
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  server.close();
  await once(server, 'close');
  return port;
}
