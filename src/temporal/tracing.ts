import { setTimeout as delay } from 'node:timers/promises';
import type { ClientPlugin } from '@temporalio/client';
import type { WorkerOptions } from '@temporalio/worker';
import { needPackages, TRACING_PACKAGES } from '../package/needed-packages.ts';
import { SpanTroubles } from './span-troubles.ts';

/** OpenTelemetry's own variables; each switches tracing on. The exporter reads them, and its others. */
const ENDPOINTS = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];

type Attributes = Readonly<Record<string, string>>;

/** Runs a request to another service; where traces are wanted, as a span. `failed`: by what it came to. */
export type Traced = <T>(
  span: { name: string; attributes: Attributes },
  request: () => Promise<T>,
  came: (result: T) => { attributes: Attributes; failed: boolean },
) => Promise<T>;

export const untraced: Traced = (_, request) => request();

/** Temporal's OpenTelemetry plugin: spans of clients, workflows and activities in one trace. */
export interface Tracing {
  /** For clients, and for the workflows' bundle. */
  plugin: ClientPlugin & { name: string };
  /** A Worker's options with spans; its bundle must be made with the plugin. */
  configureWorker(options: WorkerOptions): WorkerOptions;
  traced: Traced;
  /** Sends the spans that have ended. @param within waits no longer than this (milliseconds) */
  flush(within?: number): Promise<void>;
}

let loaded: Promise<Tracing | undefined> | undefined;

/**
 * This process's tracing, where the environment names a collector. Otherwise nothing of it is loaded. The variable may be
 * there for other programs: where the packages are not, or do not load, there is a warning, and no span.
 *
 * @param warn told once when a collector stops taking spans, and once when it takes them again
 */
export async function tracing(
  env: NodeJS.ProcessEnv = process.env,
  warn: (message: string) => void = (message) => process.emitWarning(message),
): Promise<Tracing | undefined> {
  const name = ENDPOINTS.find((one) => env[one]);
  const isOff = env['OTEL_SDK_DISABLED'] === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none';
  if (name === undefined || isOff) return undefined;
  if (env['OTEL_EXPORTER_OTLP_PROTOCOL'] === 'grpc')
    warn(
      'OTEL_EXPORTER_OTLP_PROTOCOL is grpc, but spans are sent over HTTP: to port 4318 of most collectors',
    );
  loaded ??= load(warn).catch((error: unknown) => {
    warn(`${name} is set, but no spans are sent. ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  });
  return await loaded;
}

async function load(warn: (message: string) => void): Promise<Tracing> {
  needPackages('Tracing', TRACING_PACKAGES);
  // As OpenTelemetry's specification wants it; its packages take an empty number for 0.
  for (const [name, value] of Object.entries(process.env))
    if (name.startsWith('OTEL_') && value === '') delete process.env[name];
  const [
    { DiagLogLevel, diag, SpanKind, SpanStatusCode },
    { OTLPTraceExporter },
    { envDetectorSync, Resource },
    { BatchSpanProcessor, NodeTracerProvider },
    { OpenTelemetryPlugin },
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-node'),
    import('@temporalio/interceptors-opentelemetry'),
  ]);
  const troubles = new SpanTroubles(warn);
  diag.setLogger(troubles.logger, DiagLogLevel.WARN);
  const resource = Resource.default()
    .merge(new Resource({ 'service.name': 'darkroom' }))
    .merge(envDetectorSync.detect());
  const spanProcessor = new BatchSpanProcessor(troubles.watch(new OTLPTraceExporter()));
  const provider = new NodeTracerProvider({ resource, spanProcessors: [spanProcessor] });
  provider.register(); // spans find their parents by asynchronous context
  const tracer = provider.getTracer('darkroom');
  const plugin = new OpenTelemetryPlugin({ resource, spanProcessor, tracer });
  return {
    plugin,
    configureWorker(options) {
      const { interceptors, ...rest } = plugin.configureWorker(options);
      // They are in the bundle.
      return { ...rest, interceptors: { ...interceptors, workflowModules: [] } };
    },
    traced: (span, request, came) =>
      tracer.startActiveSpan(
        span.name,
        { kind: SpanKind.CLIENT, attributes: span.attributes },
        async (made) => {
          try {
            const result = await request();
            const { attributes, failed } = came(result);
            made.setAttributes(attributes);
            if (failed) made.setStatus({ code: SpanStatusCode.ERROR });
            return result;
          } catch (error) {
            made.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
            throw error;
          } finally {
            made.end();
          }
        },
      ),
    // A collector that is away is no trouble of the program's.
    async flush(within) {
      const flushed = provider.forceFlush().catch(() => undefined);
      await (within === undefined
        ? flushed
        : Promise.race([flushed, delay(within, undefined, { ref: false })]));
    },
  };
}
