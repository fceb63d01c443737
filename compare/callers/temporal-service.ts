import {
  Client,
  Connection,
  isGrpcServiceError,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';

const PAUSE = 1_000;

/**
 * What a service around Temporal has, whoever wrote its workflows: a worker, a client, an order's number as the
 * workflow's id, so that asking twice starts nothing twice, and patience while the server is away.
 */
export class TemporalService {
  readonly #taskQueue: string;
  #client: Client | undefined;

  constructor(taskQueue: string) {
    this.#taskQueue = taskQueue;
  }

  async start(workflowsPath: string, activities: object): Promise<Client> {
    const address = process.env['TEMPORAL_ADDRESS'] ?? '';
    const client = new Client({ connection: await Connection.connect({ address }) });
    this.#client = client;
    const worker = await Worker.create({
      connection: await NativeConnection.connect({ address }),
      taskQueue: this.#taskQueue,
      workflowsPath,
      activities,
      maxConcurrentActivityTaskExecutions: 200, // each waiting task keeps a place
    });
    void worker.run();
    return client;
  }

  /** The result of an order's workflow, which is started where it was not yet. */
  async result(workflow: string, order: number, args: unknown[]): Promise<string> {
    for (;;) {
      try {
        return await this.#startAndWait(workflow, `generation/order-${order}`, args);
      } catch (error) {
        if (!isGrpcServiceError(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE)); // Temporal is away
      }
    }
  }

  async #startAndWait(workflow: string, workflowId: string, args: unknown[]): Promise<string> {
    if (this.#client === undefined) throw new Error('start comes first');
    const options = { taskQueue: this.#taskQueue, workflowId, args };
    try {
      await this.#client.workflow.start(workflow, { ...options, workflowIdReusePolicy: 'REJECT_DUPLICATE' });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
    return await this.#client.workflow.getHandle(workflowId).result();
  }
}
