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
      const { error, ...fields } = meta ?? {};
      const told = {
        ...fields,
        ...(error instanceof Error ? { error: `${error.name}: ${error.message}` } : {}),
      };
      if (EXPECTED.has(message)) log.debug(told, message);
      else if (level === 'WARN' || level === 'ERROR') log.warn(told, message);
    }),
    telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
  });
}
