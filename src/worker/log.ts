import { DefaultLogger, Runtime } from '@temporalio/worker';
import { type Logger, pino } from 'pino';

/** Structured logs, one JSON document a line, on standard error. */
export function createLog(level = 'info'): Logger {
  return pino({ level, base: null }, pino.destination({ dest: 2, sync: false }));
}

/** What the SDK warns of and nobody has to look at; the queue for submits has no workflows on purpose. */
const EXPECTED: ReadonlySet<string> = new Set([
  'Workflow failed',
  'Activity failed',
  'No workflows registered, not polling for workflow tasks',
]);

/**
 * Sends the Temporal SDK's warnings and errors to the log; what workflows fail with is no incident of the
 * worker's and stays at debug. To be called once, before anything connects.
 */
export function quietTemporal(log: Pick<Logger, 'debug' | 'warn'>): void {
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      const told = loggable(meta ?? {});
      if (EXPECTED.has(message)) log.debug(told, message);
      else if (level === 'WARN' || level === 'ERROR') log.warn(told, message);
    }),
    telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
  });
}

/** Longer texts are cut: some of the SDK's warnings hold a workflow's whole history, a megabyte at a time. */
const LONGEST = 2_000;

/** What comes with a message of the SDK's, as the log takes it: errors as text, and nothing of endless length. */
export function loggable(meta: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { error, ...fields } = meta;
  const told = Object.entries(fields).map(([name, value]) => [name, cut(value)]);
  return {
    ...Object.fromEntries(told),
    ...(error instanceof Error ? { error: cut(`${error.name}: ${error.message}`) } : {}),
  };
}

function cut(value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= LONGEST) return value;
  return `${value.slice(0, LONGEST)}… (${value.length} characters)`;
}
