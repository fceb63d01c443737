import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import { Client, Connection } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { ownProgram } from '../package/own-command.ts';
import { endingInTime, retryAllButVisibility } from './client-retries.ts';
import { DEFAULT_ADDRESS, type TemporalSettings } from './settings.ts';
import { TemporalUnreachable } from './temporal-unreachable.ts';
import type { Tracing } from './tracing.ts';

/** Milliseconds that each step of connecting may take. */
const TIMEOUT = 5_000;

/**
 * A client for workflows, connected and checked: the server answers, lets us in, and has the namespace.
 * `client.connection` is to be closed by the caller.
 *
 * @param tracing its calls get spans
 * @throws TemporalUnreachable within about five seconds
 */
export async function connectClient(
  settings: TemporalSettings,
  tracing?: Tracing,
): Promise<Client & { connection: Connection }> {
  const { namespace, ...options } = settings;
  await probe(settings);
  const connection = await Connection.connect({
    ...options,
    connectTimeout: TIMEOUT,
    interceptors: [endingInTime(), retryAllButVisibility],
  }).catch((error: unknown) => {
    throw refusal(settings, error);
  });
  try {
    await connection.withDeadline(Date.now() + TIMEOUT, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
  } catch (error) {
    await connection.close();
    throw refusal(settings, error);
  }
  // The client keeps the connection that it is given.
  const plugins = tracing === undefined ? [] : [tracing.plugin];
  return new Client({ connection, namespace, plugins }) as Client & { connection: Connection };
}

/**
 * A connection for workers. It loads the SDK's native runtime, so `Runtime.install` comes before it.
 *
 * @throws TemporalUnreachable within about five seconds
 */
export async function connectWorker(settings: TemporalSettings): Promise<NativeConnection> {
  const { namespace: _, ...options } = settings;
  await probe(settings);
  // Loaded here, because clients can do without the native runtime.
  const { NativeConnection } = await import('@temporalio/worker');
  const inTime = new AbortController();
  const late = delay(TIMEOUT, undefined, { signal: inTime.signal }).then(() => {
    throw new Error('no answer within 5 s');
  });
  try {
    return await Promise.race([NativeConnection.connect(options), late]);
  } catch (error) {
    throw refusal(settings, error);
  } finally {
    inTime.abort();
    late.catch(() => undefined); // nobody waits for it any more
  }
}

/**
 * Opens a plain connection first: gRPC says of a refused one only that it could not connect in time. Behind a
 * proxy it would prove nothing, so it is left out there.
 */
async function probe(settings: TemporalSettings): Promise<void> {
  const { env } = process;
  if (env['grpc_proxy'] || env['https_proxy'] || env['http_proxy']) return;
  const { host, port } = splitAddress(settings.address);
  const problem = await new Promise<string | undefined>((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT });
    const end = (reason?: string): void => {
      socket.destroy();
      resolve(reason);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end('no connection within 5 s'));
    socket.once('error', (error: NodeJS.ErrnoException) => end(WORDS[error.code ?? ''] ?? error.message));
  });
  if (problem !== undefined) throw unreachable(settings, problem);
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'its name cannot be resolved now',
  EHOSTUNREACH: 'there is no route to it',
  ENETUNREACH: 'there is no route to it',
};

function unreachable({ address }: TemporalSettings, reason: string): TemporalUnreachable {
  const origin = process.env['TEMPORAL_ADDRESS']
    ? 'TEMPORAL_ADDRESS'
    : address === DEFAULT_ADDRESS
      ? 'the usual address; TEMPORAL_ADDRESS is not set'
      : 'from the Temporal profile file';
  return new TemporalUnreachable(
    `no Temporal server at ${address} (${origin}): ${reason}\n` +
      `  start everything on this machine with: ${ownProgram('dev')}\n` +
      '  or set TEMPORAL_ADDRESS to the server that you use, for example TEMPORAL_ADDRESS=localhost:7233',
  );
}

function refusal(settings: TemporalSettings, error: unknown): TemporalUnreachable {
  const { address, namespace } = settings;
  const code = grpcCode(error);
  if (code === status.NOT_FOUND) {
    return new TemporalUnreachable(
      `the Temporal server at ${address} has no namespace ${namespace}\n` +
        `  set TEMPORAL_NAMESPACE, or make it with: temporal operator namespace create --namespace ${namespace}`,
    );
  }
  if (code === status.PERMISSION_DENIED || code === status.UNAUTHENTICATED) {
    return new TemporalUnreachable(
      `the Temporal server at ${address} does not let us into namespace ${namespace}\n` +
        '  check TEMPORAL_API_KEY, or the client certificate (TEMPORAL_TLS_CLIENT_CERT_PATH, …_KEY_PATH), and TEMPORAL_NAMESPACE',
    );
  }
  const tls = settings.tls === undefined || settings.tls === false ? 'off' : 'on';
  return new TemporalUnreachable(
    `something listens at ${address}, but it does not answer as a Temporal server (TLS is ${tls}): ${firstLine(error)}\n` +
      '  check TEMPORAL_ADDRESS and TEMPORAL_TLS',
    { cause: error },
  );
}

/** The status code of the error or of what caused it. */
function grpcCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'number') return error.code;
  return 'cause' in error ? grpcCode(error.cause) : undefined;
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n', 1)[0] ?? '';
}

/** `host:port`, `host` (port 7233, as the SDK has it) or `[ipv6]:port`. */
function splitAddress(address: string): { host: string; port: number } {
  const match = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(address);
  return { host: match?.[1] ?? match?.[2] ?? address, port: Number(match?.[3] ?? 7233) };
}
