import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import type { FaultRuleInput } from '../../emulator/src/faults/rule.ts';
import type { EmulatorOptions } from '../../emulator/src/options.ts';
import { type Program, startProgram } from './program.ts';

const PROGRAM = fileURLToPath(new URL('emulator-program.ts', import.meta.url));

/** As much of a task as the measurements look at. Times as ISO 8601. */
export interface EmulatedTask {
  id: string;
  workflow: string | null;
  createdAt: string;
  gets: number;
}

/** The media API in a process of its own, and what the measurements do to it over its control API. */
export class Emulator {
  readonly baseUrl: string;
  readonly process: Program;
  readonly #controlUrl: string;
  readonly #agent = new Agent({ connections: 64 });

  private constructor(process: Program) {
    const urls = JSON.parse(process.greeting) as { baseUrl: string; controlUrl: string }; // our own line
    this.process = process;
    this.baseUrl = urls.baseUrl;
    this.#controlUrl = urls.controlUrl;
  }

  /** Files are tiny ready-made ones: rendering is nothing that a worker does. */
  static async start(options: EmulatorOptions): Promise<Emulator> {
    const greets = (line: string): boolean => line.startsWith('{"baseUrl"');
    return new Emulator(await startProgram([PROGRAM, JSON.stringify(options)], {}, greets));
  }

  /** From now on the workspace's events go to that address. */
  async sendWebhooks(endpoint: {
    workspace: string;
    url: string;
    secret: string;
    events?: string[];
  }): Promise<string> {
    const { id } = await this.#call<{ id: string }>('POST', 'endpoints', endpoint);
    return id;
  }

  async removeEndpoint(id: string): Promise<void> {
    await this.#call('DELETE', `endpoints/${id}`);
  }

  /** The tasks of a workflow, newest first. */
  async tasksOf(workflow: string): Promise<EmulatedTask[]> {
    return await this.#call('GET', `tasks?workflow=${encodeURIComponent(workflow)}`);
  }

  async task(id: string): Promise<EmulatedTask> {
    return await this.#call('GET', `tasks/${id}`);
  }

  /** Up to 10,000 tasks of a workspace, newest first. */
  async tasksIn(workspace: string): Promise<EmulatedTask[]> {
    return await this.#call('GET', `tasks?limit=10000&workspace=${workspace}`);
  }

  /** How many tasks there are. */
  async countTasks(): Promise<number> {
    const { tasks } = await this.#call<{ tasks: Record<string, number> }>('GET', 'counters');
    return Object.values(tasks).reduce((sum, count) => sum + count, 0);
  }

  async finish(taskId: string): Promise<void> {
    await this.#call('POST', `tasks/${taskId}/finish`);
  }

  async fault(rule: FaultRuleInput): Promise<void> {
    await this.#call('POST', 'faults', rule);
  }

  async stop(): Promise<void> {
    await this.#agent.close();
    await this.process.stop();
  }

  async #call<T>(method: 'GET' | 'POST' | 'DELETE', path: string, content?: object): Promise<T> {
    const { statusCode, body } = await request(`${this.#controlUrl}/${path}`, {
      dispatcher: this.#agent,
      method,
      ...(content === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(content) }),
    });
    const text = await body.text();
    if (statusCode >= 300) throw new Error(`control ${method} ${path}: ${statusCode} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T; // its shapes are in emulator/src/control
  }
}
