import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { FaultRuleInput } from '../../emulator/src/faults/rule.ts';
import type { EmulatorOptions } from '../../emulator/src/server.ts';
import { type SupervisedProcess, spawnSupervised } from '../../src/local/temporal/supervised-process.ts';
import { freezeProcess } from './freeze-process.ts';

const PROGRAM = fileURLToPath(new URL('emulator-process.ts', import.meta.url));

/** One purchase in the emulator's ledger. */
export interface LedgerCharge {
  taskId: string;
  workspace: string;
  workflow: string | null;
  model: string;
  /** ISO 8601. */
  at: string;
  credits: number;
  answered: boolean;
  /** When it came back (ISO 8601), if it has. */
  refund: { at: string } | null;
}

/** A task as the service itself knows it. */
export interface ServiceTask {
  id: string;
  workflow: string | null;
  status: 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'CANCELED';
  code?: string | null;
  /** ISO 8601. */
  completedAt: string | null;
  fate: { kind: string };
  vanished: boolean;
}

export interface ServiceCounters {
  faults: Record<string, number>;
  gets: { total: number };
}

/** The emulator in its own process, and its control API. */
export class EmulatorControl {
  readonly baseUrl: string;
  /** When it last hung, in milliseconds since the epoch. */
  hungUntil = -Infinity;
  readonly #controlUrl: string;
  readonly #process: SupervisedProcess;
  #hanging: Promise<unknown> = Promise.resolve();

  private constructor(process: SupervisedProcess, urls: { baseUrl: string; controlUrl: string }) {
    this.#process = process;
    this.baseUrl = urls.baseUrl;
    this.#controlUrl = urls.controlUrl;
  }

  static async start(options: EmulatorOptions): Promise<EmulatorControl> {
    const child = spawnSupervised(process.execPath, [PROGRAM, JSON.stringify(options)], {
      env: process.env,
      stopSignal: 'TERM',
    });
    child.stderr.pipe(process.stderr, { end: false });
    const line = await Promise.race([
      new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve)),
      child.ended.then(({ code }) => Promise.reject(new Error(`the emulator ended with code ${code}`))),
    ]);
    return new EmulatorControl(child, JSON.parse(line) as { baseUrl: string; controlUrl: string }); // our own line
  }

  async charges(): Promise<LedgerCharge[]> {
    return (await this.#call<{ charges: LedgerCharge[] }>('GET', 'ledger')).charges;
  }

  tasks(): Promise<ServiceTask[]> {
    return this.#call('GET', 'tasks?limit=10000');
  }

  counters(): Promise<ServiceCounters> {
    return this.#call('GET', 'counters');
  }

  async topUp(workspace: string, permanent: number): Promise<void> {
    await this.#call('POST', `workspaces/${workspace}/credits/top-up`, { permanent });
  }

  async finishTask(taskId: string): Promise<void> {
    await this.#call('POST', `tasks/${taskId}/finish`);
  }

  async clearFaults(): Promise<void> {
    await this.#call('DELETE', 'faults');
  }

  async removeFault(id: string): Promise<void> {
    await this.#call('DELETE', `faults/${id}`);
  }

  /** Puts rules in force for some milliseconds. Each of them has an id. */
  async during(rules: readonly FaultRuleInput[], milliseconds: number): Promise<void> {
    await this.#call('POST', 'faults', rules);
    await delay(milliseconds);
    for (const { id = '' } of rules) await this.removeFault(id);
  }

  /** It keeps its connections and says nothing for some milliseconds. */
  async hang(milliseconds: number): Promise<void> {
    this.hungUntil = Infinity;
    this.#hanging = freezeProcess(this.#process.pid, milliseconds);
    await this.#hanging;
    this.hungUntil = Date.now();
  }

  async stop(): Promise<void> {
    await this.#process.stop();
  }

  /** The control API's answer, once it does not hang; its shapes are in emulator/src/control. */
  async #call<T>(method: string, path: string, body?: object): Promise<T> {
    await this.#hanging;
    const response = await fetch(`${this.#controlUrl}/${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`control ${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }
}
