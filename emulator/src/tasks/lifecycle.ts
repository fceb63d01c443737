import { withoutPrefix } from '../../../src/api/codes.ts';
import type { EventType } from '../../../src/api/events/event-types.ts';
import { NO_USAGE } from '../../../src/api/records/usage.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { refund } from '../accounts/credits.ts';
import type { Ledger } from '../accounts/ledger.ts';
import type { Assumptions } from '../assumptions.ts';
import type { Storage } from '../storage/storage.ts';
import type { StoredOutput, Task, Tasks } from './tasks.ts';

interface Parts {
  storage: Storage;
  accounts: Accounts;
  tasks: Tasks;
  ledger: Ledger;
  assumptions: Assumptions;
  /** Hands an event to the webhook endpoints. */
  publish: (type: EventType, task: Task) => void;
}

/**
 * What happens when a task moves on: its record, its event and, where the policy says so, its refund, stored
 * together. Each move answers whether it was one: a terminal task stays as it is.
 */
export class Lifecycle {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(task: Task): boolean {
    return this.#move(task, 'IN_PROGRESS', 'task.started');
  }

  complete(task: Task, outputs: StoredOutput[], extra: Record<string, unknown>): boolean {
    return this.#move(task, 'COMPLETED', 'task.completed', () => {
      task.outputs = outputs;
      task.extra = extra;
    });
  }

  /** @param code with the family's prefix */
  fail(task: Task, code: string, message: string): boolean {
    return this.#move(task, 'FAILED', 'task.failed', () => {
      task.code = code;
      task.message = message;
      this.#endInVain(task, withoutPrefix(code));
    });
  }

  cancel(task: Task): boolean {
    return this.#move(task, 'CANCELED', 'task.canceled', () => this.#endInVain(task, 'CANCELED'));
  }

  /** From now on nobody can see the task and nothing is told about it. */
  vanish(task: Task): void {
    task.vanished = true;
    this.#parts.tasks.save(task);
  }

  #move(task: Task, status: Task['status'], event: EventType, also: () => void = () => undefined): boolean {
    const { storage, tasks, publish } = this.#parts;
    return storage.atomically(() => {
      if (!tasks.move(task, status, Date.now())) return false;
      also();
      tasks.save(task);
      if (!task.vanished) publish(event, task);
      return true;
    });
  }

  #endInVain(task: Task, reason: string): void {
    const { accounts, ledger, assumptions } = this.#parts;
    const { refunds } = assumptions;
    const isRefunded = refunds === 'all' || (refunds !== 'none' && refunds.some((code) => code === reason));
    const charge = ledger.endedInVain(task.id, isRefunded ? { at: Date.now(), reason } : undefined);
    const workspace = accounts.workspace(task.workspace);
    if (!isRefunded || charge === undefined || workspace === undefined) return;
    refund(workspace.pools, charge.usage);
    accounts.saveWorkspace(workspace);
    task.usage = { ...NO_USAGE };
  }
}
