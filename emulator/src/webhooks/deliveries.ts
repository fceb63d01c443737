import { randomUUID } from 'node:crypto';
import pLimit, { type LimitFunction } from 'p-limit';
import type { EventType } from '../../../src/api/events/event-types.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { inputHash } from '../accounts/ledger.ts';
import type { Assumptions } from '../assumptions.ts';
import type { Faults } from '../faults/faults.ts';
import type { Keeping } from '../storage/collection.ts';
import type { Task } from '../tasks/tasks.ts';
import type { Attempt, Delivery } from './delivery.ts';
import { DeliveryLog } from './delivery-log.ts';
import { activeSecrets, type Endpoint, type Endpoints } from './endpoints.ts';
import { eventPayload, testPayload } from './payload.ts';
import { deliveryAgent, send } from './send.ts';

interface DeliveryPace {
  /** Pauses before the second, third, … attempt, milliseconds. */
  retries: readonly number[];
  /** Milliseconds that a receiver may take. */
  timeout: number;
  /** Attempts under way at the same time, for each endpoint. */
  concurrency: number;
}

interface Parts {
  keeping: Keeping;
  accounts: Accounts;
  endpoints: Endpoints;
  faults: Faults;
  pace: DeliveryPace;
  assumptions: Assumptions;
  /** `http://host:port` of the emulator, for the URLs of outputs. */
  origin: () => string;
}

/** Brings events to endpoints: at least once, with retries, each endpoint at its own pace. */
export class Deliveries {
  readonly log: DeliveryLog;
  readonly #parts: Parts;
  /** Runs the attempts at each endpoint, so many at the same time. */
  readonly #lanes = new Map<string, LimitFunction>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Those that wait for another event of their task. */
  readonly #held = new Set<Delivery>();
  readonly #agent;
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#agent = deliveryAgent(parts.pace.concurrency);
    this.log = new DeliveryLog(parts.keeping, parts.assumptions.deliveryLogCounts);
  }

  /** Goes on with what an earlier process left: whatever was not finished is sent (again). */
  resume(): void {
    for (const delivery of this.log.unfinished())
      this.#schedule(delivery, delivery.nextAttemptAt ?? Date.now());
  }

  /** Sends an event of a task to every endpoint that wants it. */
  publish(type: EventType, task: Task): void {
    const { endpoints, accounts, origin } = this.#parts;
    const wanting = endpoints.wanting(task.workspace, type);
    const workspace = accounts.workspace(task.workspace);
    if (wanting.length === 0 || workspace === undefined) return;
    const body = JSON.stringify(
      eventPayload(type, task, workspace, origin(), this.#parts.assumptions.templateMetadata),
    );
    const eventId = `evt_${randomUUID()}`;
    for (const endpoint of wanting) {
      const fault = this.#parts.faults.pick({
        on: 'webhook',
        workspace: task.workspace,
        identity: () => `${task.workflow ?? inputHash(task.model, task.input)} ${type}`,
        model: task.model,
        prompt: task.prompt,
        taskId: task.id,
        workflow: task.workflow,
        event: type,
      });
      this.#enqueue(this.#create(endpoint, { eventId, type, taskId: task.id, body, fault: fault ?? null }));
    }
  }

  /** Sends a made-up event to one endpoint, whatever its filter and even while it is disabled. */
  sendTest(endpoint: Endpoint, type: EventType): Delivery | undefined {
    const workspace = this.#parts.accounts.workspace(endpoint.workspace);
    if (workspace === undefined) return undefined;
    const body = JSON.stringify(testPayload(type, workspace, this.#parts.assumptions.testDeliveryMark));
    const eventId = `evt_test_${randomUUID()}`;
    const delivery = this.#create(endpoint, { eventId, type, taskId: 'test', body, fault: null, test: true });
    this.#enqueue(delivery);
    return delivery;
  }

  /** Sends a finished delivery once more, under its old event id. False: it is still under way. */
  redeliver(delivery: Delivery): boolean {
    if (!this.log.reopen(delivery)) return false;
    delivery.fault = null;
    delivery.attempts = [];
    this.#enqueue(delivery);
    return true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await this.#agent.destroy();
  }

  #create(
    endpoint: Endpoint,
    event: Pick<Delivery, 'eventId' | 'type' | 'taskId' | 'body' | 'fault'> & { test?: boolean },
  ): Delivery {
    const delivery: Delivery = {
      id: `dlv_${randomUUID()}`,
      endpointId: endpoint.id,
      workspace: endpoint.workspace,
      test: false,
      state: 'pending',
      attempts: [],
      createdAt: Date.now(),
      nextAttemptAt: null,
      ...event,
    };
    this.log.created();
    return delivery;
  }

  #enqueue(delivery: Delivery): void {
    const now = Date.now();
    const fault = delivery.fault;
    if (fault?.kind === 'lost') {
      this.log.finish(delivery, 'failed');
      return;
    }
    if (fault?.kind === 'reordered') this.#held.add(delivery);
    const delay = fault?.kind === 'late' || fault?.kind === 'reordered' ? fault.ms : 0;
    this.#schedule(delivery, now + delay);
  }

  /** Puts a delivery back to wait for its (next) attempt. */
  #schedule(delivery: Delivery, at: number): void {
    delivery.state = 'pending';
    delivery.nextAttemptAt = at;
    this.log.save(delivery);
    const wait = at - Date.now();
    if (wait <= 0) {
      this.#ready(delivery);
      return;
    }
    this.#timers.set(
      delivery.id,
      setTimeout(() => this.#ready(delivery), wait),
    );
  }

  #ready(delivery: Delivery): void {
    clearTimeout(this.#timers.get(delivery.id));
    this.#timers.delete(delivery.id);
    this.#held.delete(delivery);
    const { endpointId } = delivery;
    const lane = this.#lanes.get(endpointId) ?? pLimit(this.#parts.pace.concurrency);
    this.#lanes.set(endpointId, lane);
    void lane(() => this.#attempt(delivery));
  }

  async #attempt(delivery: Delivery): Promise<void> {
    if (this.#closed) return;
    const endpoint = this.#parts.endpoints.get(delivery.endpointId);
    if (endpoint === undefined || !(endpoint.enabled || delivery.test)) {
      this.log.finish(delivery, 'failed');
      return;
    }
    this.log.begin(delivery);
    const attempt = await send(this.#agent, delivery, {
      url: endpoint.url,
      secrets: activeSecrets(endpoint, Date.now()),
      timeout: this.#parts.pace.timeout,
    });
    if (this.#closed) return;
    this.log.attempted();
    delivery.attempts.push(attempt);
    this.#settle(delivery, attempt);
    this.#releaseHeld(delivery);
  }

  #settle(delivery: Delivery, attempt: Attempt): void {
    const acknowledged = attempt.status !== null && attempt.status < 300; // what is below 200 ends no answer
    const { fault, attempts } = delivery;
    if (acknowledged && fault?.kind === 'repeated' && attempts.length <= fault.times) {
      this.#schedule(delivery, Date.now());
      return;
    }
    const pause = this.#parts.pace.retries[attempts.length - 1];
    if (acknowledged) this.log.finish(delivery, 'success');
    else if (pause === undefined) this.log.finish(delivery, 'failed');
    else this.#schedule(delivery, Date.now() + pause);
  }

  /** An event of the same task has gone out: those that waited for it follow now. */
  #releaseHeld(gone: Delivery): void {
    for (const other of this.#held) {
      if (other.taskId === gone.taskId && other.endpointId === gone.endpointId) this.#ready(other);
    }
  }
}
