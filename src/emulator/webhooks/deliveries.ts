import { randomUUID } from 'node:crypto';
import type { EventType } from '../../api/event-types.ts';
import type { Accounts } from '../accounts.ts';
import type { Changes } from '../changes.ts';
import type { Faults } from '../faults/faults.ts';
import { inputHash } from '../ledger.ts';
import { Queue } from '../queue.ts';
import type { Storage, Table } from '../storage/storage.ts';
import type { Task } from '../tasks.ts';
import type { Attempt, Delivery } from './delivery.ts';
import { activeSecrets, type Endpoint, type Endpoints } from './endpoints.ts';
import { eventPayload, testPayload } from './payload.ts';
import { deliveryAgent, send } from './send.ts';

/** How many finished deliveries of an endpoint are remembered (API specification: the 20 most recent). */
const REMEMBERED = 20;

export interface DeliveryPace {
  /** Pauses before the second, third, … attempt, milliseconds. */
  retries: readonly number[];
  /** Milliseconds that a receiver may take. */
  timeout: number;
  /** Attempts under way at the same time, for each endpoint. */
  concurrency: number;
}

interface Parts {
  storage: Storage;
  changes: Changes;
  accounts: Accounts;
  endpoints: Endpoints;
  faults: Faults;
  pace: DeliveryPace;
  /** `http://host:port` of the emulator, for the URLs of outputs. */
  origin: () => string;
}

/** What waits at one endpoint. */
interface Lane {
  waiting: Queue<Delivery>;
  inFlight: number;
  /** Ids of finished deliveries, oldest first. */
  finished: string[];
}

/** Brings events to endpoints: at least once, with retries, each endpoint at its own pace. */
export class Deliveries {
  readonly #parts: Parts;
  readonly #table: Table<Delivery>;
  readonly #deliveries = new Map<string, Delivery>();
  readonly #lanes = new Map<string, Lane>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  /** Those that wait for another event of their task. */
  readonly #held = new Set<Delivery>();
  readonly #agent;
  readonly #totals = { created: 0, attempts: 0, success: 0, failed: 0 };
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#agent = deliveryAgent(parts.pace.concurrency);
    this.#table = parts.storage.table('deliveries');
  }

  /** Goes on with what an earlier process left: whatever was not finished is sent (again). */
  resume(): void {
    for (const delivery of this.#table.all()) {
      this.#deliveries.set(delivery.id, delivery);
      if (delivery.state === 'success' || delivery.state === 'failed') this.#remember(delivery);
      else this.#schedule(delivery, delivery.nextAttemptAt ?? Date.now());
    }
  }

  /** Sends an event of a task to every endpoint that wants it. */
  publish(type: EventType, task: Task): void {
    const { endpoints, accounts, origin } = this.#parts;
    const wanting = endpoints.wanting(task.workspace, type);
    const workspace = accounts.workspace(task.workspace);
    if (wanting.length === 0 || workspace === undefined) return;
    const body = JSON.stringify(eventPayload(type, task, workspace, origin()));
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
    const body = JSON.stringify(testPayload(type, workspace));
    const eventId = `evt_test_${randomUUID()}`;
    const delivery = this.#create(endpoint, { eventId, type, taskId: 'test', body, fault: null, test: true });
    this.#enqueue(delivery);
    return delivery;
  }

  /** Sends a finished delivery once more, under its old event id. False: it is still under way. */
  redeliver(delivery: Delivery): boolean {
    if (delivery.state === 'pending' || delivery.state === 'processing') return false;
    const lane = this.#lane(delivery.endpointId);
    lane.finished = lane.finished.filter((id) => id !== delivery.id);
    delivery.fault = null;
    delivery.attempts = [];
    this.#enqueue(delivery);
    return true;
  }

  get(id: string): Delivery | undefined {
    return this.#deliveries.get(id);
  }

  /** The latest deliveries, newest first: 20 of each endpoint, or of one. */
  latest(endpointId?: string): Delivery[] {
    const byEndpoint = new Map<string, Delivery[]>();
    for (const delivery of this.#deliveries.values()) {
      if (endpointId !== undefined && delivery.endpointId !== endpointId) continue;
      const list = byEndpoint.get(delivery.endpointId) ?? [];
      list.push(delivery);
      byEndpoint.set(delivery.endpointId, list);
    }
    return [...byEndpoint.values()]
      .flatMap((list) => list.sort((a, b) => lastActivity(b) - lastActivity(a)).slice(0, REMEMBERED))
      .sort((a, b) => lastActivity(b) - lastActivity(a));
  }

  /** Deliveries so far, and how many wait or are under way now. */
  counts(): Record<'created' | 'attempts' | 'success' | 'failed' | 'pending' | 'processing', number> {
    let pending = 0;
    let processing = 0;
    for (const { state } of this.#deliveries.values()) {
      if (state === 'pending') pending += 1;
      else if (state === 'processing') processing += 1;
    }
    return { ...this.#totals, pending, processing };
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
    this.#deliveries.set(delivery.id, delivery);
    this.#totals.created += 1;
    return delivery;
  }

  #enqueue(delivery: Delivery): void {
    const now = Date.now();
    const fault = delivery.fault;
    if (fault?.kind === 'lost') {
      this.#finish(delivery, 'failed');
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
    this.#save(delivery);
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
    const lane = this.#lane(delivery.endpointId);
    lane.waiting.push(delivery);
    this.#drain(lane);
  }

  #drain(lane: Lane): void {
    while (!this.#closed && lane.inFlight < this.#parts.pace.concurrency) {
      const next = lane.waiting.shift();
      if (next === undefined) return;
      lane.inFlight += 1;
      void this.#attempt(next).finally(() => {
        lane.inFlight -= 1;
        this.#drain(lane);
      });
    }
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const endpoint = this.#parts.endpoints.get(delivery.endpointId);
    if (endpoint === undefined || !(endpoint.enabled || delivery.test)) {
      this.#finish(delivery, 'failed');
      return;
    }
    delivery.state = 'processing';
    delivery.nextAttemptAt = null;
    this.#save(delivery);
    const attempt = await send(this.#agent, delivery, {
      url: endpoint.url,
      secrets: activeSecrets(endpoint, Date.now()),
      timeout: this.#parts.pace.timeout,
    });
    if (this.#closed) return;
    this.#totals.attempts += 1;
    delivery.attempts.push(attempt);
    this.#settle(delivery, attempt);
    this.#releaseHeld(delivery);
  }

  #settle(delivery: Delivery, attempt: Attempt): void {
    const acknowledged = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
    const { fault, attempts } = delivery;
    if (acknowledged && fault?.kind === 'repeated' && attempts.length <= fault.times) {
      this.#schedule(delivery, Date.now());
      return;
    }
    const pause = this.#parts.pace.retries[attempts.length - 1];
    if (acknowledged) this.#finish(delivery, 'success');
    else if (pause === undefined) this.#finish(delivery, 'failed');
    else this.#schedule(delivery, Date.now() + pause);
  }

  /** An event of the same task has gone out: those that waited for it follow now. */
  #releaseHeld(gone: Delivery): void {
    for (const other of this.#held) {
      if (other.taskId === gone.taskId && other.endpointId === gone.endpointId) this.#ready(other);
    }
  }

  #finish(delivery: Delivery, state: 'success' | 'failed'): void {
    delivery.state = state;
    delivery.nextAttemptAt = null;
    this.#totals[state] += 1;
    this.#save(delivery);
    this.#remember(delivery);
  }

  #remember(delivery: Delivery): void {
    const { finished } = this.#lane(delivery.endpointId);
    finished.push(delivery.id);
    if (finished.length <= REMEMBERED) return;
    const oldest = finished.shift() ?? '';
    this.#deliveries.delete(oldest);
    this.#table.remove(oldest);
  }

  #save(delivery: Delivery): void {
    this.#table.put(delivery.id, delivery);
    this.#parts.changes.announce('delivery', delivery.id);
  }

  #lane(endpointId: string): Lane {
    const known = this.#lanes.get(endpointId);
    if (known !== undefined) return known;
    const lane: Lane = { waiting: new Queue(), inFlight: 0, finished: [] };
    this.#lanes.set(endpointId, lane);
    return lane;
  }
}

function lastActivity(delivery: Delivery): number {
  return delivery.attempts.at(-1)?.at ?? delivery.createdAt;
}
