import { randomInt } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { SEARCH_ATTRIBUTES } from '../../contract/search-attributes.ts';
import { DEFAULT_NAMESPACE } from '../../temporal/settings.ts';
import { DevServerError } from './dev-server-error.ts';
import { freePort } from './free-port.ts';
import { keepLastLines } from './last-lines.ts';
import { type Ending, type SupervisedProcess, spawnSupervised } from './supervised-process.ts';
import { openUiDoor, type UiDoor } from './ui-door.ts';
import { untilUsable } from './until-usable.ts';

const HOST = '127.0.0.1';
/** Temporal's own defaults, which people and tools look for first. */
const USUAL_PORTS = { grpc: 7233, ui: 8233 };
const READY_WITHIN = 120_000;
const STARTS = 3;
const LOG_LINES = 20;

/**
 * Fairness keys keep workspaces from starving each other; the server does not look at them by default (1.31). Nor does
 * it end a stopping worker's polls by itself: the worker then breaks them off, and what was just handed to one of them
 * is lost with it, which for a submit means that nobody can tell whether it was sent. The rest: each shard looks for
 * new tasks, timers and visibility records 20 times a second at most, which is meant for clusters of hundreds of
 * shards. This server has one: from seven runs a second on, each step came up to 50 ms late. And the CLI has it read the
 * cluster's search attributes anew for each record that it lists or writes: a fourteenth of its time.
 *
 * The server's HTTP API, on a port that it picks, starts workflows for a plain POST of any page in the browser. Nobody
 * here needs it: it answers a host only that does not exist.
 */
const DYNAMIC_CONFIG: Readonly<Record<string, DynamicConfigValue>> = {
  'matching.enableFairness': true,
  'system.forceSearchAttributesCacheRefreshOnRead': false,
  'frontend.enableCancelWorkerPollsOnShutdown': true,
  'history.transferProcessorMaxPollRPS': 100,
  'history.timerProcessorMaxPollRPS': 100,
  'history.visibilityProcessorMaxPollRPS': 100,
  'frontend.httpAllowedHosts': ['none.invalid'],
};

type DynamicConfigValue = string | number | boolean | readonly string[];

export interface DevServerOptions {
  /** The Temporal CLI, see findServer. */
  binary: string;
  /** Default true. */
  ui?: boolean;
  /** Made when it does not exist. Default `default`. */
  namespace?: string;
  /** A file that keeps everything between runs. Default: in memory, gone when the server stops. */
  databaseFile?: string;
  /** Taken when nothing listens there, else any that is free; 0: any. Default 7233, and 8233 for the UI. */
  ports?: Ports;
  /**
   * Beside Darkroom's own. Of use under load: `frontend.namespaceRPS.visibility`, visibility queries a second (a
   * server's default is 10, the CLI's dev server 1.8 raises it to 100), and `frontend.namespaceRPS`, all other calls
   * (2400).
   */
  dynamicConfig?: Readonly<Record<string, DynamicConfigValue>>;
  /** Show its warnings on standard error, too. */
  logs?: boolean;
  /** Called when the server ends without having been told to. */
  onCrash?: (error: DevServerError) => void;
  env?: NodeJS.ProcessEnv;
}

export interface DevServer {
  /** Host and port for Temporal clients and workers. */
  readonly address: string;
  /** The Web UI's address; null without one. */
  readonly uiUrl: string | null;
  /** Where it tells what it does, in Prometheus' format. */
  readonly metricsUrl: string;
  readonly namespace: string;
  /** Of the process at the top of the server's own. */
  readonly pid: number | undefined;
  /** Stops the server and waits for its end. Harmless when repeated. */
  readonly stop: () => Promise<void>;
}

interface Ports {
  grpc: number;
  ui: number;
}

interface Launched {
  options: DevServerOptions;
  ports: Ports & { metrics: number };
  /** Undefined without a Web UI. */
  door: UiDoor | undefined;
  process: SupervisedProcess;
  log: readonly string[];
  /** The CLI prints its addresses once its own server has started: so whoever answers at the port is ours. */
  announced: Promise<unknown>;
}

/**
 * Starts a Temporal dev server on 127.0.0.1 and waits until clients can use it, search attributes included. It is
 * stopped with this process, however that ends (see supervise.sh), and does not keep it alive.
 *
 * @throws DevServerError with the server's last words when it does not come up within 30 seconds.
 */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  let preferred = options.ports ?? USUAL_PORTS;
  for (let start = 1; ; start++) {
    const launched = await launch(options, preferred);
    const failure = await untilReady(launched);
    if (failure === undefined) return running(launched);
    launched.door?.close();
    await launched.process.stop();
    // Another process took a port after we had looked (two `npm start` at once): elsewhere, then.
    const outrun = launched.log.some((line) => line.includes('address already in use'));
    if (!outrun || start === STARTS) throw devServerError(`did not start: ${failure}`, launched);
    preferred = { grpc: 0, ui: 0 };
  }
}

async function launch(options: DevServerOptions, preferred: Ports): Promise<Launched> {
  const ports = {
    grpc: await freePort(preferred.grpc),
    ui: await freePort(0),
    metrics: await freePort(0),
  };
  const hidden = { host: hiddenHost(), port: ports.ui };
  const door =
    options.ui === false ? undefined : await openUiDoor(HOST, await freePort(preferred.ui), hidden);
  const process = spawnSupervised(options.binary, serverArguments(options, ports, hidden.host), {
    env: withoutTemporalSettings(options.env ?? globalThis.process.env),
    // In memory there is nothing to save, and a graceful shutdown takes a whole second.
    stopSignal: options.databaseFile === undefined ? 'KILL' : 'TERM',
  });
  const announced = new Promise((resolve) => process.stdout.once('data', resolve));
  return { options, ports, door, process, announced, log: lastWords(process.stderr, options.logs) };
}

/** Its log without the stack traces: one that lost a race for a port says so, and then crashes over it (1.31). */
function lastWords(stderr: Readable, shown = false): readonly string[] {
  let inTrace = false;
  return keepLastLines(stderr, LOG_LINES, (line) => {
    if (shown) globalThis.process.stderr.write(`temporal: ${line}\n`);
    inTrace ||= /^goroutine \d+ /.test(line);
    return !inTrace;
  });
}

/**
 * Where the Web UI itself listens, behind its door: on Linux at any of 16 million addresses of this machine, so that
 * no page finds it. Other systems have only one.
 */
function hiddenHost(): string {
  if (globalThis.process.platform !== 'linux') return HOST;
  return `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}`;
}

function serverArguments(options: DevServerOptions, ports: Launched['ports'], uiHost: string): string[] {
  const { ui = true, logs = false, namespace, databaseFile } = options;
  const args = [
    'server',
    'start-dev',
    '--ip',
    HOST,
    '--port',
    String(ports.grpc),
    '--metrics-port',
    String(ports.metrics),
    '--log-level',
    logs ? 'warn' : 'error',
  ];
  args.push(...(ui ? ['--ui-ip', uiHost, '--ui-port', String(ports.ui)] : ['--headless']));
  if (namespace !== undefined) args.push('--namespace', namespace);
  if (databaseFile !== undefined) args.push('--db-filename', databaseFile);
  for (const [key, value] of Object.entries({ ...DYNAMIC_CONFIG, ...options.dynamicConfig })) {
    args.push('--dynamic-config-value', `${key}=${JSON.stringify(value)}`);
  }
  for (const { name, type } of SEARCH_ATTRIBUTES) args.push('--search-attribute', `${name}=${type}`);
  return args;
}

/** The CLI reads TEMPORAL_* variables too: those are meant for clients. */
function withoutTemporalSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('TEMPORAL_')));
}

/** Resolves with undefined when the server can be used, else with what went wrong. */
async function untilReady({ options, ports, process, announced }: Launched): Promise<string | undefined> {
  const over = new AbortController();
  const usable = announced.then(() =>
    untilUsable(`${HOST}:${ports.grpc}`, options.namespace ?? DEFAULT_NAMESPACE, READY_WITHIN, over.signal),
  );
  try {
    return await Promise.race([
      usable.then(() => undefined, errorMessage),
      process.ended.then(describeEnding),
      delay(READY_WITHIN, `it was not ready after ${READY_WITHIN / 1_000} s`, { ref: false }),
    ]);
  } finally {
    over.abort();
  }
}

function running(launched: Launched): DevServer {
  const { options, ports, door, process } = launched;
  let stopping = false;
  process.unref();
  const watch = async () => {
    const what = `stopped by itself: ${describeEnding(await process.ended)}`;
    if (!stopping) options.onCrash?.(devServerError(what, launched));
  };
  void watch();
  return {
    address: `${HOST}:${ports.grpc}`,
    uiUrl: door === undefined ? null : `http://${HOST}:${door.port}`,
    metricsUrl: `http://${HOST}:${ports.metrics}/metrics`,
    namespace: options.namespace ?? DEFAULT_NAMESPACE,
    pid: process.pid,
    stop: async () => {
      stopping = true;
      door?.close();
      await process.stop();
    },
  };
}

function devServerError(what: string, { options, log }: Launched): DevServerError {
  return new DevServerError([`The Temporal dev server (${options.binary}) ${what}`, ...log].join('\n  '));
}

function describeEnding({ code, error }: Ending): string {
  return error ? error.message : `it ended with code ${code}`;
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
