import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { billableActions } from '../../bench/billable-actions.ts';
import { findTemporalCli } from '../../bench/stage/temporal.ts';
import { type DevServer, startDevServer } from '../../src/local/temporal/dev-server.ts';
import { resetPoints, resetRun } from '../../src/temporal/reset-run.ts';
import { lastingPort } from '../../test/lasting-port.ts';

/** A Temporal server for one competitor, with its data on the disk: it can be killed, and started again. */
export class TemporalServer {
  readonly #folder: string;
  readonly #port: number;
  readonly #binary: string;
  #server: DevServer | undefined;
  #client: Client | undefined;

  private constructor(folder: string, port: number, binary: string) {
    this.#folder = folder;
    this.#port = port;
    this.#binary = binary;
  }

  static async start(folder: string): Promise<TemporalServer> {
    const temporal = new TemporalServer(folder, await lastingPort(), await findTemporalCli());
    await temporal.startAgain();
    return temporal;
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  async startAgain(): Promise<void> {
    this.#server = await startDevServer({
      binary: this.#binary,
      ui: false,
      ports: { grpc: this.#port, ui: 0 },
      databaseFile: join(this.#folder, 'temporal.db'),
      onCrash: () => {}, // it is killed on purpose
    });
    if (this.#server.address !== this.address)
      throw new Error(`port ${this.#port} was taken by another program`);
    await this.#client?.connection.close();
    this.#client = new Client({ connection: await Connection.connect({ address: this.address }) });
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    const { pid, stop } = this.#server ?? {};
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
    await stop?.();
  }

  /** Resets a workflow to its beginning, as an operator does in the Web UI. @returns whether the new run has succeeded */
  async reset(workflowId: string): Promise<boolean> {
    const handle = this.client.workflow.getHandle(workflowId);
    const { runId } = await handle.describe();
    const run = { workflowId, runId };
    const [first] = await resetPoints(this.client, run);
    if (first === undefined) throw new Error(`${workflowId} has nothing to reset to`);
    const again = await resetRun(this.client, run, first, 'the comparison');
    try {
      await this.client.workflow.getHandle(workflowId, again).result();
      return true;
    } catch {
      return false;
    }
  }

  /** Billable actions of all its histories. */
  async actions(): Promise<number> {
    let actions = 0;
    for await (const { workflowId, runId } of this.client.workflow.list()) {
      const { events } = await this.client.workflow.getHandle(workflowId, runId).fetchHistory();
      actions += billableActions(events ?? []);
    }
    return actions;
  }

  get client(): Client {
    if (this.#client === undefined) throw new Error('the server was not started');
    return this.#client;
  }

  async stop(): Promise<void> {
    await this.#client?.connection.close();
    await this.#server?.stop();
  }
}
