import { createServer } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { Connection } from '@temporalio/client';
import { expect, it } from 'vitest';
import { endingInTime, retryAllButVisibility } from '../../src/temporal/client-retries.ts';

it('a call that waits to be tried again ends with its connection, and not the process', async () => {
  const asked = Promise.withResolvers<void>();
  const server = createServer();
  server.on('stream', (stream) => {
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '14' },
      { endStream: true },
    );
    asked.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const connection = Connection.lazy({
    address: `127.0.0.1:${port}`,
    interceptors: [retryAllButVisibility],
  });
  const described = connection.workflowService.describeNamespace({ namespace: 'default' });
  const ended = described.then(
    () => 'answered',
    (error: unknown) => String(error),
  );
  await asked.promise;
  // The answer is heard, and the next try waits.
  await new Promise((resolve) => setTimeout(resolve, 50));
  await connection.close();
  expect(await ended).toContain('Channel has been shut down');
  server.close();
});

it('a call without a deadline ends all the same where the server is frozen', async () => {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const connection = Connection.lazy({
    address: `127.0.0.1:${port}`,
    interceptors: [endingInTime(200), retryAllButVisibility],
  });
  await expect(connection.workflowService.describeNamespace({ namespace: 'default' })).rejects.toThrow(
    'DEADLINE_EXCEEDED',
  );
  await connection.close();
  server.close();
});
