import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { eventually, FAST, image, openWorld } from '../workflows/world.ts';

/** Answers like an S3 that is not well, or one that lets nobody in. */
let s3: Server;
let status: number;

beforeAll(async () => {
  s3 = createServer((_, response) => void response.writeHead(status).end()).listen(0, '127.0.0.1');
  await once(s3, 'listening');
});
afterAll(() => void s3.close());

beforeEach(() => {
  const { port } = s3.address() as AddressInfo; // it listens on a port
  vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${port}`);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'a');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'b');
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1');
  return () => vi.unstubAllEnvs();
});

const outputs = { kind: 's3', bucket: 'media', prefix: '', pathStyle: true } as const;

it('a worker whose store is away starts, says so, and keeps what it buys until the files can be stored', async () => {
  status = 503;
  const world = await openWorld({ config: { outputs } });
  try {
    expect(world.warnings).toContainEqual({
      fields: { place: 'the bucket media' },
      message: expect.stringContaining('Files are stored once it is back'),
    });
    const handle = await world.start(image('stored later', FAST));
    await world.until(handle, 'storing');
    await eventually(async () => {
      const { searchAttributes } = await handle.describe();
      expect(searchAttributes['DarkroomState']).toEqual(['storing is held up']);
    });
    expect(world.charges(handle.workflowId)).toHaveLength(1);
    await handle.terminate('a test');
  } finally {
    await world.close();
  }
});

it('a worker that may not use its store does not start', async () => {
  status = 403;
  await expect(openWorld({ config: { outputs } })).rejects.toThrow('access is denied');
});
