import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';
import { tracing } from '../../src/temporal/tracing.ts';
import { makeWorkflowBundle } from '../../src/worker/workflow-bundle.ts';
import { recordedHistories } from '../replay/histories.ts';
import { notReplayed } from '../replay/replay.ts';
import { eventually, image, openWorld, WEBHOOK_ONLY } from '../workflows/world.ts';

// A process loads tracing once: no other file's tests do, which share this one's process.

/** As OTLP has it in JSON. */
interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string } }[];
}

interface Batch {
  resourceSpans: {
    resource: { attributes: Span['attributes'] };
    scopeSpans: { spans: Span[] }[];
  }[];
}

const spans: Span[] = [];
const paths = new Set<string | undefined>();
let collector: Server;

beforeAll(async () => {
  const collect = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    paths.add(request.url);
    const { resourceSpans } = (await json(request)) as Batch; // the exporter's
    spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  };
  collector = createServer((request, response) => void collect(request, response)).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const { port } = collector.address() as AddressInfo; // it listens on a port
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${port}`);
});
afterAll(() => {
  vi.unstubAllEnvs();
  collector.close();
});

const attribute = ({ attributes }: Span, name: string): string | undefined =>
  attributes.find(({ key }) => key === name)?.value.stringValue;

/** From a span up to the one that began its trace. */
function ancestry(span: Span): string[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [span.name, ...(parent === undefined ? [] : ancestry(parent))];
}

it("shows one trace from the client's call to the POST of its task, and the receiver's signal", async () => {
  const world = await openWorld();
  const traces = await tracing();
  const client = await connectClient(world.config.temporal, traces);
  try {
    const { taskId } = (await client.workflow.execute('generation', {
      taskQueue: world.config.taskQueue,
      workflowId: `generation/${world.config.taskQueue}`,
      args: [image('traced', WEBHOOK_ONLY)],
    })) as { taskId: string }; // a generation's result
    await world.stopWorker();
    await eventually(async () => {
      await traces?.flush();
      expect(spans.map(({ name }) => name)).toContain('StartWorkflow:generation');
    });
    const posts = spans.filter(({ name }) => name.startsWith('POST '));
    expect(posts.map((post) => attribute(post, 'darkroom.task_id'))).toEqual([taskId]);
    expect(posts.map(ancestry)).toEqual([
      [
        'POST generation/darkroom/image-l',
        'RunActivity:submitTask',
        'StartActivity:submitTask',
        'RunWorkflow:generation',
        'StartWorkflow:generation',
      ],
    ]);
    const ofTrace = spans.filter(({ traceId }) => traceId === posts[0]?.traceId);
    expect(ofTrace.filter(({ parentSpanId }) => !parentSpanId).map(({ name }) => name)).toEqual([
      'StartWorkflow:generation',
    ]);
    expect(spans.map(({ name }) => name)).toContain('SignalWorkflow:taskEvent');
    expect([...paths]).toEqual(['/v1/traces']);
  } finally {
    await client.connection.close();
    await world.close();
  }
});

it('draws random numbers, and histories replay all the same', async () => {
  const traces = await tracing();
  const traced = await makeWorkflowBundle(traces === undefined ? [] : [traces.plugin]);
  const stored = await recordedHistories();
  const parked = stored.filter(({ scenario }) => scenario.includes('parked'));
  expect(traced.code).toContain('OpenTelemetry');
  expect(await notReplayed(traced, parked)).toEqual(new Map());
});

it('loads nothing of it where no collector is named', () => {
  const module = new URL('../../src/temporal/tracing.ts', import.meta.url).href;
  const program = `
    import { createRequire } from 'node:module';
    const { tracing } = await import(${JSON.stringify(module)});
    const off = await tracing({});
    const loaded = () => Object.keys(createRequire(import.meta.url).cache).filter((path) => path.includes('opentelemetry'));
    const before = loaded().length;
    await tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    console.log(JSON.stringify([off ?? null, before, loaded().length > 0]));`;
  const out = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  expect(JSON.parse(out)).toEqual([null, 0, true]);
});

it.each([{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])('is off by %o', async (off) => {
  expect(await tracing({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', ...off })).toBeUndefined();
});

/** Runs a program in a process of its own, where `tracing` is what it gets, and `say` notes what it hands back. */
async function runTraced(body: string, env: Record<string, string>): Promise<unknown> {
  const module = new URL('../../src/temporal/tracing.ts', import.meta.url).href;
  const program = `
    const { tracing } = await import(${JSON.stringify(module)});
    const warned = [];
    const traces = await tracing(process.env, (message) => warned.push(message));
    const span = () => traces.traced({ name: 'a span', attributes: {} }, async () => 1, () => ({ attributes: {}, failed: false }));
    const said = await (async () => { ${body} })();
    process.stdout.write(JSON.stringify(said), () => process.exit(0));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    env: { ...process.env, ...env },
  });
  return JSON.parse(stdout);
}

/** A collector of its own, for as long as `use` takes. */
async function withCollector<T>(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  use: (env: Record<string, string>) => Promise<T>,
): Promise<T> {
  const own = createServer(answer).listen(0, '127.0.0.1');
  await once(own, 'listening');
  const { port } = own.address() as AddressInfo; // it listens on a port
  try {
    return await use({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
  } finally {
    own.closeAllConnections();
    own.close();
  }
}

it('warns once of a collector that refuses spans, and once when it takes them again', async () => {
  const statuses = [401, 401, 200, 200, 401];
  const warned = await withCollector(
    (_, response) => response.writeHead(statuses.shift() ?? 200).end('{}'),
    (env) =>
      runTraced('for (let n = 0; n < 5; n += 1) { await span(); await traces.flush(); } return warned;', env),
  );
  const refused = 'spans cannot be sent to the collector: Unauthorized';
  expect(warned).toEqual([
    refused,
    expect.stringMatching(/^over after .+: spans cannot be sent to the collector$/),
    refused,
  ]);
});

it('does not wait for a collector that swallows spans for longer than it is told', async () => {
  const took = await withCollector(
    () => undefined,
    (env) =>
      runTraced('await span(); const at = Date.now(); await traces.flush(200); return Date.now() - at;', env),
  );
  expect(took).toBeGreaterThanOrEqual(150);
  expect(took).toBeLessThan(3_000);
});

it.each([
  [{ OTEL_RESOURCE_ATTRIBUTES: 'service.name=film,team=night', OTEL_SERVICE_NAME: '' }, 'film'],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'service.name=film,team=night', OTEL_SERVICE_NAME: 'cut' }, 'cut'],
  [{ OTEL_RESOURCE_ATTRIBUTES: 'team=night' }, 'darkroom'],
])('names its service as %o says', async (variables, name) => {
  const batches: Batch[] = [];
  const collect = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    batches.push((await json(request)) as Batch); // the exporter's
    response.writeHead(200).end('{}');
  };
  await withCollector(
    (request, response) => void collect(request, response),
    (env) => runTraced('await span(); await traces.flush(); return null;', { ...env, ...variables }),
  );
  const [{ resource } = { resource: { attributes: [] } }] = batches[0]?.resourceSpans ?? [];
  const said = Object.fromEntries(resource.attributes.map(({ key, value }) => [key, value.stringValue]));
  expect(said).toMatchObject({ 'service.name': name, team: 'night' });
});

it('warns, and sends no spans, where its packages are there and do not load', async () => {
  const broken = 'data:text/javascript,throw new Error("made by another version")';
  const hook = `data:text/javascript,${encodeURIComponent(
    `import { registerHooks } from 'node:module';
    registerHooks({ resolve: (name, context, next) =>
      name === '@opentelemetry/sdk-trace-node' ? { url: ${JSON.stringify(broken)}, shortCircuit: true } : next(name, context) });`,
  )}`;
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', NODE_OPTIONS: `--import "${hook}"` };
  expect(await runTraced('return { warned, isOff: traces === undefined };', env)).toEqual({
    isOff: true,
    warned: ['OTEL_EXPORTER_OTLP_ENDPOINT is set, but no spans are sent. made by another version'],
  });
});
