import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';
import { tracing } from '../../src/temporal/tracing.ts';
import { eventually, image, openWorld, WEBHOOK_ONLY } from '../workflows/world.ts';

/** As OTLP has it in JSON. */
interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string } }[];
}

interface Batch {
  resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
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
