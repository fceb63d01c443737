import { type Client, WithStartWorkflowOperation } from '@temporalio/client';
import type { AccountName, AccountState, Booking, BookingEnd } from '../../contract/entities/account.ts';
import { LOCAL_TIMEOUT } from '../../contract/limits.ts';
import { bookUpdate } from '../../contract/messages.ts';
import { entityId } from '../../contract/workflow-ids.ts';
import { UpdateQueue } from '../update-queue.ts';

const PAUSES = { first: 250, longest: 5_000 };

/** What this process books on accounts, which are started where they do not run: on each, all that waits together. */
export class Accounts {
  readonly #client: Client;
  readonly #taskQueue: string;
  readonly #queue: UpdateQueue<Booking, BookingEnd>;

  constructor(client: Client, taskQueue: string) {
    this.#client = client;
    this.#taskQueue = taskQueue;
    this.#queue = new UpdateQueue(
      (name, bookings) => this.#send(JSON.parse(name) as AccountName, bookings),
      PAUSES,
    );
  }

  /**
   * @param patience how long it is tried while the account does not answer, in milliseconds
   * @throws the client's error while Temporal does not take it: then nobody knows whether it is booked
   */
  async book(name: AccountName, booking: Booking, patience?: number): Promise<BookingEnd> {
    return await this.#queue.ask(JSON.stringify(name), booking, patience); // `#send` reads it
  }

  async #send(name: AccountName, bookings: readonly Booking[]): Promise<BookingEnd[]> {
    const { scope } = name;
    const workflowId = entityId('account', scope, this.#taskQueue);
    const args: [AccountState] = [{ ...name }];
    return await this.#client.withDeadline(Date.now() + LOCAL_TIMEOUT, () =>
      this.#client.workflow.executeUpdateWithStart(bookUpdate, {
        args: [[...bookings]],
        startWorkflowOperation: new WithStartWorkflowOperation('account', {
          workflowId,
          taskQueue: this.#taskQueue,
          args,
          workflowIdConflictPolicy: 'USE_EXISTING',
          // What waits for it holds a place of a submit.
          priority: { priorityKey: 1 },
          staticSummary: `credits of ${scope}`,
        }),
      }),
    );
  }
}
