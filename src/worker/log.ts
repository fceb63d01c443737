import { DefaultLogger, Runtime } from '@temporalio/worker';
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { escapedJson, oneLine } from '../terminal/printable.ts';
import { sdkMetricsAt } from './sdk-metrics.ts';

/**
 * One line a happening on standard error: for people on a terminal, one JSON document elsewhere, which may come to a
 * terminal later. Ids and messages in it are from elsewhere: nothing in them is for a terminal to act upon.
 *
 * @param to another place than standard error
 */
export function createLog(level = 'info', to: { fd: number; isTTY?: boolean } = process.stderr): Logger {
  const options = { level, base: null };
  if (to.isTTY !== true) {
    return pino(
      { ...options, hooks: { streamWrite: escapedJson } },
      pino.destination({ dest: to.fd, sync: false }),
    );
  }
  return pino(
    { ...options, hooks: { streamWrite: printableLine } },
    pretty({ destination: to.fd, sync: true, singleLine: true, translateTime: 'SYS:HH:MM:ss.l' }),
  );
}

/** A line of JSON whose texts are fit to be shown as they are. */
function printableLine(line: string): string {
  const shown = (_: string, value: unknown): unknown => (typeof value === 'string' ? oneLine(value) : value);
  return `${JSON.stringify(JSON.parse(line, shown))}\n`;
}

/** What the SDK warns of and nobody has to look at; the queue for submits has no workflows on purpose. */
const EXPECTED: ReadonlySet<string> = new Set([
  'Workflow failed',
  'Activity failed',
  'No workflows registered, not polling for workflow tasks',
]);

/** Where lines come from that are ours: what a run or an activity says of itself, whatever their level. */
const OURS: ReadonlySet<unknown> = new Set(['workflow', 'activity']);

/**
 * Sends what workflows and activities say, and the Temporal SDK's warnings and errors, to the log; what workflows fail
 * with is no incident of the worker's and stays at debug. To be called once, before anything connects.
 *
 * @param metricsPort where the SDK's own metrics are served on this machine; none when absent
 */
export function quietTemporal(log: Pick<Logger, 'debug' | 'info' | 'warn'>, metricsPort?: number): void {
  Runtime.install({
    // A client that asks who polls what hears of a new worker within seconds.
    workerHeartbeatInterval: '5s',
    logger: new DefaultLogger('INFO', ({ level, message, meta = {} }) => {
      if (EXPECTED.has(message)) log.debug(loggable(meta), message);
      else if (level === 'WARN' || level === 'ERROR') log.warn(loggable(meta), message);
      else if (level === 'INFO' && OURS.has(meta['sdkComponent'])) log.info(loggable(meta), message);
    }),
    telemetryOptions: {
      logging: { forward: {}, filter: 'ERROR' },
      ...(metricsPort === undefined ? {} : { metrics: sdkMetricsAt(metricsPort) }),
    },
  });
}

/** Longer texts are cut: some of the SDK's warnings hold a workflow's whole history, a megabyte at a time. */
const LONGEST = 2_000;

/** What comes with every line of a run's or an activity's, and tells nobody anything. */
const UNTOLD: ReadonlySet<string> = new Set([
  'sdkComponent',
  'namespace',
  'taskQueue',
  'isLocal',
  'taskToken',
]);

/** What comes with a message of the SDK's, as the log takes it: errors as text, and nothing of endless length. */
export function loggable(meta: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { error, ...fields } = meta;
  const told = Object.entries(fields).flatMap(([name, value]) =>
    UNTOLD.has(name) ? [] : [[name, cut(value)]],
  );
  return {
    ...Object.fromEntries(told),
    ...(error instanceof Error ? { error: cut(`${error.name}: ${error.message}`) } : {}),
  };
}

function cut(value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= LONGEST) return value;
  return `${value.slice(0, LONGEST)}… (${value.length} characters)`;
}
