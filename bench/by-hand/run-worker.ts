import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { settings } from './settings.ts';
import { listenForWebhooks } from './webhooks.ts';

/** A worker with its webhook handler. Says on standard output where webhooks go, once it runs. */
export async function runWorker(workflowsPath: string, activities: object): Promise<void> {
  const client = new Client({ connection: await Connection.connect({ address: settings.temporal }) });
  const worker = await Worker.create({
    connection: await NativeConnection.connect({ address: settings.temporal }),
    taskQueue: settings.taskQueue,
    workflowsPath,
    activities,
  });
  const webhooks = await listenForWebhooks(client);
  const running = worker.run();
  console.log(JSON.stringify({ webhooks }));
  await running;
}
