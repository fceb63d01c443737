import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { Agent, request } from 'undici';
import { openTemporal } from '../../src/local/temporal/open-temporal.ts';
import { createTemporalSink } from '../../src/temporal/temporal-sink.ts';
import { createReceiver } from '../../src/webhooks/receiver.ts';
import { RECEIVER_DEFAULTS } from '../../src/webhooks/receiver-config.ts';
import { TaskRoutes } from '../../src/webhooks/routing/task-routes.ts';
import { parseSecret } from '../../src/webhooks/signature/secrets.ts';
import { quietTemporal } from '../../src/worker/log.ts';
import { eventBody, SECRET, signedHeaders } from './deliveries.ts';

const TASK_QUEUE = 'bench-latency';

export interface LatencyWorld {
  client: Client;
  taskQueue: string;
  /** Tasks whose record is COMPLETED. */
  completed: Set<string>;
  routes: TaskRoutes;
  /** POSTs a task's signed event; resolves when the receiver has accepted it. */
  deliver(taskId: string): Promise<void>;
  close(): Promise<void>;
}

/** A real Temporal server, a worker, our receiver, and an API that only knows which tasks are completed. */
export async function openLatencyWorld(): Promise<LatencyWorld> {
  quietTemporal({ debug() {}, info() {}, warn() {} });
  const temporal = await openTemporal({
    ui: false,
    ports: { grpc: 0, ui: 0 },
    // Timers come up to a second late by default: that would only flatter us.
    dynamicConfig: { 'history.timerProcessorMaxTimeShift': '5ms' },
  });
  const completed = new Set<string>();
  const api = createServer((incoming, response) => {
    response.end(completed.has(incoming.url?.slice(1) ?? '') ? 'COMPLETED' : 'IN_PROGRESS');
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const apiUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`; // it listens on TCP
  const agent = new Agent({ connections: 64, pipelining: 1 });

  const connection = await Connection.connect({ address: temporal.address });
  const native = await NativeConnection.connect({ address: temporal.address });
  const client = new Client({ connection, namespace: temporal.namespace });
  const worker = await Worker.create({
    connection: native,
    namespace: temporal.namespace,
    taskQueue: TASK_QUEUE,
    workflowsPath: fileURLToPath(new URL('latency-workflows.ts', import.meta.url)),
    activities: {
      async getStatus(taskId: string): Promise<string> {
        const { body } = await request(`${apiUrl}/${taskId}`, { dispatcher: agent });
        return body.text();
      },
    },
  });
  const running = worker.run();

  const routes = new TaskRoutes();
  const receiver = createReceiver({
    config: {
      ...RECEIVER_DEFAULTS,
      port: 0,
      workspaces: new Map([['default', { secrets: [parseSecret(SECRET)], legacy: 'refuse' }]]),
    },
    sink: createTemporalSink({ client, taskQueue: TASK_QUEUE }),
    routes,
    log: { debug() {}, info() {}, warn: (fields, message) => console.error(message, fields) },
  });
  await receiver.listen();

  return {
    client,
    taskQueue: TASK_QUEUE,
    completed,
    routes,
    async deliver(taskId) {
      const body = eventBody(taskId);
      const { statusCode } = await request(`http://127.0.0.1:${receiver.port}/webhooks`, {
        dispatcher: agent,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...Object.fromEntries(signedHeaders(`evt_${taskId}`, body, 'both')),
        },
        body,
      });
      if (statusCode !== 204) throw new Error(`the delivery was answered ${statusCode}`);
    },
    async close() {
      await receiver.close();
      worker.shutdown();
      await running;
      await connection.close();
      await native.close();
      await agent.close();
      api.close();
      await temporal.stop();
    },
  };
}
