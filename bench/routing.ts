import { Client, Connection } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { DarkroomTaskId, DarkroomWorkspace } from '../src/contract/search-attributes.ts';
import { DEFAULT_WORKSPACE } from '../src/contract/workflow-ids.ts';
import { openTemporal } from '../src/local/temporal/open-temporal.ts';
import { retryAllButVisibility } from '../src/temporal/client-retries.ts';
import { ensureSearchAttributes } from '../src/temporal/register-search-attributes.ts';
import { createTemporalSink } from '../src/temporal/temporal-sink.ts';
import { createReceiver } from '../src/webhooks/receiver.ts';
import { RECEIVER_DEFAULTS } from '../src/webhooks/receiver-config.ts';
import { TaskRoutes } from '../src/webhooks/routing/task-routes.ts';
import { parseSecret } from '../src/webhooks/signature/secrets.ts';
import { type Figure, figure, rounded } from './measure.ts';
import { eventBody, SECRET, signedHeaders, wireRequest } from './receiver/deliveries.ts';
import { sendAll } from './receiver/load.ts';

const EVENTS = 5_000;
const CONNECTIONS = 500;
const ROUNDS = 3;

/**
 * A burst of 5,000 events for tasks that another process submitted: each has to be found in the visibility of a
 * real server, which allows 10 queries a second, and signalled there.
 */
export async function run(): Promise<Figure[]> {
  const temporal = await openTemporal({ ui: false, ports: { grpc: 0, ui: 0 } });
  const connection = await Connection.connect({
    address: temporal.address,
    interceptors: [retryAllButVisibility],
  });
  try {
    const client = new Client({ connection, namespace: temporal.namespace });
    await ensureSearchAttributes(connection, temporal.namespace);
    const seconds: number[] = [];
    const directly: number[] = [];
    const queries: number[] = [];
    const lost: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      console.error(`round ${round + 1}: starting ${EVENTS} workflows …`);
      const taskIds = Array.from({ length: EVENTS }, (_, i) => `task_${Date.now()}_${round}_${i}`);
      await inParallel(taskIds, (taskId) => startHolder(client, taskId));
      await untilVisible(client, taskIds.at(-1) ?? '');
      const burst = await deliverBurst(client, taskIds);
      seconds.push(burst.seconds);
      queries.push(burst.queries);
      lost.push(burst.lost);
      const start = performance.now();
      await inParallel(taskIds, (taskId) =>
        client.workflow
          .getHandle(`bench/${taskId}`)
          .signal('taskEvent', { webhookId: 'w', type: 't', taskId }),
      );
      directly.push((performance.now() - start) / 1_000);
      await inParallel(taskIds, (taskId) => client.workflow.getHandle(`bench/${taskId}`).terminate());
    }
    const baseline = `signals to known workflow ids, without a receiver: ${directly.map(rounded).join(', ')} s`;
    return [
      figure('routing.lost', lost, { unit: `of ${EVENTS} events`, target: '<= 0', baseline }),
      figure('routing.burst', seconds, { unit: `s for ${EVENTS} events`, baseline }),
      figure('routing.queries', queries, { unit: 'visibility queries', baseline }),
    ];
  } finally {
    await connection.close();
    await temporal.stop();
  }
}

/** A workflow of another process that holds a task; nobody has to run it for signals to be taken. */
async function startHolder(client: Client, taskId: string): Promise<void> {
  await client.workflow.start('generation', {
    workflowId: `bench/${taskId}`,
    taskQueue: 'bench-nobody',
    typedSearchAttributes: new TypedSearchAttributes([
      { key: DarkroomTaskId, value: taskId },
      { key: DarkroomWorkspace, value: DEFAULT_WORKSPACE },
    ]),
  });
}

async function untilVisible(client: Client, taskId: string): Promise<void> {
  while ((await client.workflow.count(`${DarkroomTaskId.name} = '${taskId}'`)).count === 0) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function deliverBurst(
  client: Client,
  taskIds: readonly string[],
): Promise<{ seconds: number; queries: number; lost: number }> {
  const sink = createTemporalSink({ client, taskQueue: 'bench-nobody' });
  let queries = 0;
  let signals = 0;
  const receiver = createReceiver({
    config: {
      ...RECEIVER_DEFAULTS,
      port: 0,
      workspaces: new Map([['default', { secrets: [parseSecret(SECRET)], legacy: 'refuse' }]]),
    },
    sink: {
      ...sink,
      async find(tasks) {
        queries += 1;
        return sink.find(tasks);
      },
      async signal(workflowId, event) {
        const result = await sink.signal(workflowId, event);
        if (result === 'taken') signals += 1;
        return result;
      },
    },
    routes: new TaskRoutes(),
    log: { debug() {}, info() {}, warn: (fields, message) => console.error(message, fields) },
  });
  await receiver.listen();
  const requests = taskIds.map((taskId) => {
    const body = eventBody(taskId);
    return wireRequest(signedHeaders(`evt_${taskId}`, body, 'both'), body);
  });
  const seconds = await sendAll(receiver.port, requests, CONNECTIONS);
  await receiver.close();
  return { seconds, queries, lost: taskIds.length - signals };
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: 100 }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}
