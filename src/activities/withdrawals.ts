import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { entityId } from '../workflows/names.ts';
import type { Withdrawal, WithdrawalEnd } from '../workflows/unclaimed-tasks/contract.ts';

/** Withdrawals in one update: all of a worker's, as a rule. */
const MOST_AT_ONCE = 200;
/** Longest that an update may take, in milliseconds; after it the activities are tried again. */
const TIMEOUT = 15_000;

interface Waiting {
  withdrawal: Withdrawal;
  resolve: (end: WithdrawalEnd) => void;
  reject: (error: unknown) => void;
}

/**
 * The withdrawals of claims that this process asks for, one update at a time for each workspace. A workflow takes ten
 * updates at once, and the server forgets the work under way on those with each one that it refuses (Temporal 1.31):
 * a hundred generations that gave up at the same moment could keep all of them from ever being answered.
 */
export class Withdrawals {
  readonly #client: Client;
  readonly #taskQueue: string;
  /** By workspace; an entry stands for an update under way, too. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(client: Client, taskQueue: string) {
    this.#client = client;
    this.#taskQueue = taskQueue;
  }

  /** The end of one claim, with those of others that are asked for meanwhile. */
  withdraw(workspace: string, withdrawal: Withdrawal): Promise<WithdrawalEnd> {
    return new Promise((resolve, reject) => {
      const waiting = { withdrawal, resolve, reject };
      const others = this.#waiting.get(workspace);
      if (others !== undefined) {
        others.push(waiting);
        return;
      }
      this.#waiting.set(workspace, [waiting]);
      void this.#sendAll(workspace);
    });
  }

  async #sendAll(workspace: string): Promise<void> {
    for (;;) {
      const batch = this.#waiting.get(workspace)?.splice(0, MOST_AT_ONCE) ?? [];
      if (batch.length === 0) break;
      try {
        const ends = await this.#send(workspace, batch);
        for (const [index, { resolve }] of batch.entries()) resolve(ends[index] ?? { kind: 'not there' });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#waiting.delete(workspace);
  }

  async #send(workspace: string, batch: readonly Waiting[]): Promise<WithdrawalEnd[]> {
    const workflowId = entityId('unclaimed-tasks', workspace, this.#taskQueue);
    const handle = this.#client.workflow.getHandle(workflowId);
    const args: [Withdrawal[]] = [batch.map(({ withdrawal }) => withdrawal)];
    try {
      return await this.#client.withDeadline(Date.now() + TIMEOUT, () =>
        handle.executeUpdate<WithdrawalEnd[], [Withdrawal[]]>('withdrawClaims', { args }),
      );
    } catch (error) {
      // It ends only when it has no claims and no entries left: so these claims were never there.
      if (error instanceof WorkflowNotFoundError) return [];
      throw error;
    }
  }
}
