import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Withdrawal, WithdrawalEnd } from '../../contract/entities/claims.ts';
import { withdrawClaimsUpdate } from '../../contract/messages.ts';
import { entityId } from '../../contract/workflow-ids.ts';
import { UpdateQueue } from '../update-queue.ts';

/** Longest that one try of an update may take, in milliseconds. */
const TIMEOUT = 8_000;

/** The withdrawals of claims that this process asks for: those of a workspace together. */
export class Withdrawals {
  readonly #client: Client;
  readonly #taskQueue: string;
  readonly #queue: UpdateQueue<Withdrawal, WithdrawalEnd>;

  constructor(client: Client, taskQueue: string, pauses?: { first: number; longest: number }) {
    this.#client = client;
    this.#taskQueue = taskQueue;
    this.#queue = new UpdateQueue((workspace, withdrawals) => this.#send(workspace, withdrawals), pauses);
  }

  /** The end of one claim. */
  withdraw(workspace: string, withdrawal: Withdrawal): Promise<WithdrawalEnd> {
    return this.#queue.ask(workspace, withdrawal);
  }

  async #send(workspace: string, withdrawals: readonly Withdrawal[]): Promise<WithdrawalEnd[]> {
    const workflowId = entityId('unclaimed-tasks', workspace, this.#taskQueue);
    const handle = this.#client.workflow.getHandle(workflowId);
    const args: [Withdrawal[]] = [[...withdrawals]];
    try {
      const ends = await this.#client.withDeadline(Date.now() + TIMEOUT, () =>
        handle.executeUpdate(withdrawClaimsUpdate, { args }),
      );
      return withdrawals.map((_, index) => ends[index] ?? { kind: 'not there' });
    } catch (error) {
      // It ends only when it has no claims and no entries left: so these claims were never there.
      if (error instanceof WorkflowNotFoundError) return withdrawals.map(() => ({ kind: 'not there' }));
      throw error;
    }
  }
}
