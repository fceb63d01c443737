import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isRecord } from '../../../src/api/json/is-record.ts';
import { FAST, image, openWorld, type World } from '../world.ts';

/** Longer than any payload of Temporal's may be. */
const ENDLESS = 'x'.repeat(3_000_000);

type Answer = { status: number; body: Record<string, unknown> };

/** What stands in place of the answers to submits, and of records, of the prompts that say so. */
const ODD: Record<string, { submit?: (answer: Answer) => Answer; record?: (answer: Answer) => Answer }> = {
  'an endless message': {
    record: ({ body }) => ({
      status: 200,
      body: { ...body, status: 'FAILED', data: null, code: 'IMAGE_GENERATION_FAILED', message: ENDLESS },
    }),
  },
  'an endless code': { submit: () => ({ status: 502, body: { code: ENDLESS, message: 'bad gateway' } }) },
  'half a pair in a URL': {
    record: ({ body }) => ({
      status: 200,
      body: withImage(body, ({ url }) => ({ url: `${String(url)}#\ud800` })),
    }),
  },
};

/** A record whose image is another one, once it has one. */
function withImage(
  body: Record<string, unknown>,
  change: (image: Record<string, unknown>) => object,
): Record<string, unknown> {
  const { data } = body;
  if (!isRecord(data) || !Array.isArray(data['images'])) return body;
  const images = data['images'].filter(isRecord).map((image) => ({ ...image, ...change(image) }));
  return { ...body, data: { ...data, images } };
}

/** The media API behind a gateway that changes its answers. */
function openGateway(origin: string): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => void pass().catch(() => response.destroy()));
    const pass = async (): Promise<void> => {
      const { method = 'GET', url = '/', headers } = request;
      const { authorization = '', 'x-darkroom-workflow': workflow } = headers;
      const answer = await fetch(new URL(url, origin), {
        method,
        headers: {
          authorization,
          'content-type': 'application/json',
          ...(typeof workflow === 'string' ? { 'x-darkroom-workflow': workflow } : {}),
        },
        ...(method === 'POST' ? { body: Buffer.concat(chunks) } : {}),
      });
      const told: unknown = await answer.json();
      const plain: Answer = { status: answer.status, body: isRecord(told) ? told : {} };
      const { input } = plain.body;
      const prompt = isRecord(input) ? String(input['prompt']) : '';
      const odd = (Object.hasOwn(ODD, prompt) ? ODD[prompt] : undefined) ?? {};
      const { status, body } = (method === 'POST' ? odd.submit : odd.record)?.(plain) ?? plain;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

let world: World;
let gateway: Server;
beforeAll(async () => {
  world = await openWorld();
  await world.stopWorker();
  const api = new URL(world.config.apiUrl);
  gateway = await openGateway(api.origin);
  const { port } = gateway.address() as AddressInfo; // it listens on a port
  Object.assign(world.config, { apiUrl: `http://127.0.0.1:${port}${api.pathname}` });
  await world.startWorker();
});
afterAll(async () => {
  await world.close();
  gateway.close();
});

const ONCE = { ...FAST, retries: { ...FAST.retries, FAILED: { resubmissions: 0 } } };

it('a look that throws, whatever it is, keeps no run past its deadline', async () => {
  const broken = await openWorld({
    activities: (activities) => ({
      ...activities,
      lookAtTask: async () => {
        throw new RangeError('Maximum call stack size exceeded');
      },
    }),
  });
  const policy = { ...FAST, deadline: '1s', polling: { first: '50ms', factor: 1, max: '100ms' } };
  try {
    expect(await broken.fail(image('a look that throws', policy))).toMatchObject({
      type: 'TASK_OVERDUE',
      message: expect.stringContaining('Maximum call stack size exceeded') as string,
    });
  } finally {
    await broken.close();
  }
});

it.each(Object.keys(ODD))('an answer with %s buys once, and the run comes to its end', async (what) => {
  const handle = await world.start(image(what, ONCE));
  const type = await handle.result().then(
    ({ status }) => status,
    async () => (await world.failureOf(handle)).type,
  );
  expect(type).toMatch(/^(COMPLETED|IMAGE_GENERATION_FAILED|SUBMISSION_UNKNOWN|OUTPUT_UNAVAILABLE|X{100})$/);
  expect(world.charges(handle.workflowId)).toHaveLength(1);
});
