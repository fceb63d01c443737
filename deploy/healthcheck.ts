import { RECEIVER_DEFAULTS } from '../src/webhooks/receiver-config.ts';

/**
 * Whether a program answers, by its exit code: for containers, which have no curl. Asks the address that it is given,
 * else this container's program whether work can be taken: at DARKROOM_METRICS_PORT where that is set, else at the
 * webhook receiver's port.
 */
const { DARKROOM_METRICS_PORT: metrics, DARKROOM_WEBHOOK_PORT: webhooks } = process.env;
const port = metrics || webhooks || String(RECEIVER_DEFAULTS.port);
const address = process.argv[2] ?? `http://127.0.0.1:${port}/readyz`;

try {
  const { ok, status } = await fetch(address, { signal: AbortSignal.timeout(5_000) });
  console.log(`${address} answers ${status}`);
  process.exitCode = ok ? 0 : 1;
} catch (error) {
  console.log(`${address} does not answer: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
