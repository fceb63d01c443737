import { setTimeout as delay } from 'node:timers/promises';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import type { Withdrawal, WithdrawalEnd } from '../../contract/entities/unclaimed-tasks.ts';
import { withdrawClaimsUpdate } from '../../contract/messages.ts';
import { entityId } from '../../contract/workflow-ids.ts';
import { isBusy } from '../../temporal/grpc-status.ts';

/** Withdrawals in one update: all of a worker's, as a rule. */
const MOST_AT_ONCE = 200;
/** Longest that one try of an update may take, in milliseconds. */
const TIMEOUT = 8_000;
/** Up to so many milliseconds after a refusal; after each further one in a row twice as many. */
const PAUSES = { first: 1_000, longest: 60_000 };

interface Waiting {
  /** What the same question has in common when it is asked again. */
  key: string;
  withdrawal: Withdrawal;
  end: PromiseWithResolvers<WithdrawalEnd>;
}

/**
 * The withdrawals of claims that this process asks for, one update at a time for each workspace. A workflow takes ten
 * updates at once, and the server forgets the work under way on those with each one that it refuses (Temporal 1.31):
 * a hundred generations that gave up at the same moment could keep all of them from ever being answered. Where many
 * processes ask at once, those that are refused come back later and later, each at a time of its own.
 */
export class Withdrawals {
  readonly #client: Client;
  readonly #taskQueue: string;
  readonly #pauses: typeof PAUSES;
  /** By workspace and question; while a workspace is here, somebody sends for it. */
  readonly #waiting = new Map<string, Map<string, Waiting>>();

  constructor(client: Client, taskQueue: string, pauses = PAUSES) {
    this.#client = client;
    this.#taskQueue = taskQueue;
    this.#pauses = pauses;
  }

  /**
   * The end of one claim, asked for with those of others. Asked for again while it waits, it gets the same answer: an
   * activity that took too long is tried again.
   */
  withdraw(workspace: string, withdrawal: Withdrawal): Promise<WithdrawalEnd> {
    const others = this.#waiting.get(workspace) ?? new Map<string, Waiting>();
    const key = JSON.stringify(withdrawal);
    const known = others.get(key);
    if (known !== undefined) return known.end.promise;
    const waiting = { key, withdrawal, end: Promise.withResolvers<WithdrawalEnd>() };
    others.set(key, waiting);
    if (!this.#waiting.has(workspace)) {
      this.#waiting.set(workspace, others);
      void this.#sendAll(workspace, others);
    }
    return waiting.end.promise;
  }

  async #sendAll(workspace: string, waiting: Map<string, Waiting>): Promise<void> {
    let pause = this.#pauses.first;
    while (waiting.size > 0) {
      const batch = [...waiting.values()].slice(0, MOST_AT_ONCE);
      try {
        const ends = await this.#send(workspace, batch);
        pause = this.#pauses.first;
        for (const [index, { key, end }] of batch.entries()) {
          waiting.delete(key);
          end.resolve(ends[index] ?? { kind: 'not there' });
        }
      } catch (error) {
        // Others ask as well; or it was not answered, because others were refused.
        if (isBusy(error)) {
          await delay(Math.random() * pause);
          pause = Math.min(2 * pause, this.#pauses.longest);
          continue;
        }
        for (const { key, end } of batch) {
          waiting.delete(key);
          end.reject(error);
        }
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
        handle.executeUpdate(withdrawClaimsUpdate, { args }),
      );
    } catch (error) {
      // It ends only when it has no claims and no entries left: so these claims were never there.
      if (error instanceof WorkflowNotFoundError) return [];
      throw error;
    }
  }
}
