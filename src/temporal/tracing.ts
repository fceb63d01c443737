import type { ClientPlugin } from '@temporalio/client';
import type { WorkerOptions } from '@temporalio/worker';
import { MissingPackages, needPackages, TRACING_PACKAGES } from '../package/needed-packages.ts';

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
  /** Sends the spans that have ended. */
  flush(): Promise<void>;
}

let loaded: Promise<Tracing | undefined> | undefined;

/**
 * This process's tracing, where the environment names a collector. Otherwise nothing of it is loaded. The variable may be
 * there for other programs: where the packages are not, there is a warning, and no span.
 */
export async function tracing(env: NodeJS.ProcessEnv = process.env): Promise<Tracing | undefined> {
  const name = ENDPOINTS.find((one) => env[one]);
  const isOff = env['OTEL_SDK_DISABLED'] === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none';
  if (name === undefined || isOff) return undefined;
  loaded ??= load(env['OTEL_SERVICE_NAME'] || 'darkroom').catch((error: unknown) => {
    if (!(error instanceof MissingPackages)) throw error;
    process.emitWarning(`${name} is set, but no spans are sent. ${error.message}`);
    return undefined;
  });
  return await loaded;
}

async function load(service: string): Promise<Tracing> {
  needPackages('Tracing', TRACING_PACKAGES);
  const [
    { SpanKind, SpanStatusCode },
    { OTLPTraceExporter },
    { Resource },
    { BatchSpanProcessor, NodeTracerProvider },
    { OpenTelemetryPlugin },
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-node'),
    import('@temporalio/interceptors-opentelemetry'),
  ]);
  const resource = Resource.default().merge(new Resource({ 'service.name': service }));
  const spanProcessor = new BatchSpanProcessor(new OTLPTraceExporter());
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
    flush: () => provider.forceFlush().catch(() => undefined),
  };
}
