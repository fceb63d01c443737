import { Registry } from 'prom-client';
import { DEFAULT_WORKSPACE } from '../../src/contract/workflow-ids.ts';
import { createReceiver, type Receiver, type ReceiverDeps } from '../../src/webhooks/receiver.ts';
import { RECEIVER_DEFAULTS, type ReceiverConfig } from '../../src/webhooks/receiver-config.ts';
import { RecordsClock } from '../../src/webhooks/routing/records-clock.ts';
import { TaskRoutes } from '../../src/webhooks/routing/task-routes.ts';
import { parseSecret } from '../../src/webhooks/signature/secrets.ts';
import { RecordingSink } from './recording-sink.ts';
import { delivery, OTHER_SECRET, SECRET, standardHeaders } from './signed-delivery.ts';

/** A receiver on a free port in front of a recording sink, with short holds. */
export class RunningReceiver implements AsyncDisposable {
  readonly sink = new RecordingSink();
  readonly routes = new TaskRoutes();
  readonly recordsClock = new RecordsClock();
  /** Everything that was logged, as JSON. */
  readonly logged: string[] = [];
  /** How far the receiver's clock is ahead, in milliseconds. */
  ahead = 0;
  readonly receiver: Receiver;
  readonly #registry = new Registry();

  private constructor(over: Partial<ReceiverConfig>, deps: Partial<ReceiverDeps>) {
    const log = (fields: object, message: string): void => {
      this.logged.push(JSON.stringify({ ...fields, message }));
    };
    this.receiver = createReceiver({
      config: {
        ...RECEIVER_DEFAULTS,
        port: 0,
        workspaces: new Map([
          ['default', { secrets: [parseSecret(SECRET)], legacy: 'refuse' }],
          ['studio ü', { secrets: [parseSecret(OTHER_SECRET)], legacy: 'accept' }],
        ]),
        holds: { created: 200, terminal: 300, max: 100 },
        visibility: { perSecond: 200, burst: 10, idsPerQuery: 200, gather: 5 },
        ...over,
      },
      sink: this.sink,
      routes: this.routes,
      recordsClock: this.recordsClock,
      registry: this.#registry,
      log: { debug: log, info: log, warn: log },
      now: () => Date.now() + this.ahead,
      ...deps,
    });
  }

  static async start(
    over: Partial<ReceiverConfig> = {},
    deps: Partial<ReceiverDeps> = {},
  ): Promise<RunningReceiver> {
    const running = new RunningReceiver(over, deps);
    await running.receiver.listen();
    return running;
  }

  get port(): number {
    return this.receiver.port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** This process has submitted a task for a workflow. */
  submitted(taskId: string, workflowId: string, workspace: string = DEFAULT_WORKSPACE): void {
    this.routes.register({ workspace, taskId }, workflowId);
  }

  /** POSTs a well-signed event to the default workspace and tells the status. */
  async deliver(event: unknown, id?: string): Promise<number> {
    const timestamp = String(Math.floor((Date.now() + this.ahead) / 1_000));
    const signed = delivery(event, { timestamp, ...(id === undefined ? {} : { id }) });
    return this.post('/webhooks', standardHeaders(signed), signed.body);
  }

  async post(path: string, headers: Record<string, string>, body: Buffer | string): Promise<number> {
    const answer = await fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: new Uint8Array(Buffer.from(body)),
    });
    await answer.arrayBuffer();
    return answer.status;
  }

  /** The lines of its metrics that begin with a name. */
  async metric(name: string): Promise<string[]> {
    const text = await this.#registry.metrics();
    return text.split('\n').filter((line) => line.startsWith(name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.receiver.close();
  }
}
