import { LRUCache } from 'lru-cache';
import { type EventType, TERMINAL_EVENTS } from '../../api/event-types.ts';
import { handOverTask, takeCreatedEvent } from './created-event.ts';
import { createdTask, endedTask } from './created-task.ts';
import type { Delivery } from './delivery.ts';
import type { EventRouting } from './event-routing.ts';
import { HeldUpReports } from './held-up-reports.ts';
import { OUTCOMES, type Outcome } from './outcome.ts';
import { reasonOf, takeTerminalEvent } from './terminal-event.ts';

/**
 * The deliveries of one workspace: each `webhook-id` is handed over once. An id counts as known only after it
 * was acknowledged; a duplicate that comes before that shares the first one's outcome.
 */
export class Deliveries {
  readonly #workspace: string;
  readonly #routing: EventRouting;
  readonly #known: LRUCache<string, true>;
  readonly #underWay = new Map<string, Promise<Outcome>>();
  readonly #heldUp: HeldUpReports;

  constructor(workspace: string, rememberedIds: number, routing: EventRouting) {
    this.#workspace = workspace;
    this.#routing = routing;
    this.#heldUp = new HeldUpReports(() => routing.sink.heldUp(workspace), routing.troubles);
    this.#known = new LRUCache({ max: rememberedIds, ttl: 25 * 3600_000, ttlResolution: 1000 });
  }

  /** Deliveries could not be taken, and will come again: those who wait for them are told. */
  heldUp(): void {
    this.#heldUp.note();
  }

  /** Tells nobody any more. */
  close(): void {
    this.#heldUp.stop();
  }

  /** Never throws, and calls `answer` exactly once: at once where nothing has to be waited for. */
  deliver(delivery: Delivery, answer: (outcome: Outcome) => void): void {
    const id = identityOf(delivery);
    if (this.#known.has(id)) {
      answer('duplicate');
      return;
    }
    const first = this.#underWay.get(id);
    const outcome = first?.then(asDuplicate) ?? this.#take(delivery);
    if (typeof outcome === 'string') {
      this.#known.set(id, true);
      answer(outcome);
      return;
    }
    if (first === undefined) this.#underWay.set(id, outcome);
    void this.#settle(id, outcome, answer);
  }

  async #settle(id: string, outcome: Promise<Outcome>, answer: (outcome: Outcome) => void): Promise<void> {
    let settled: Outcome = 'unavailable';
    try {
      settled = await outcome;
      if (OUTCOMES[settled].acknowledged) this.#known.set(id, true);
    } catch (error) {
      this.#routing.troubles.warn('an event could not be handled', { reason: reasonOf(error) });
    }
    this.#underWay.delete(id);
    if (!OUTCOMES[settled].acknowledged) this.heldUp();
    answer(settled);
  }

  /** What is answered at once is always acknowledged. */
  #take(delivery: Delivery): 'unknown type' | 'not routed' | Promise<Outcome> {
    const { event, webhookId } = delivery;
    const { type, taskId } = event;
    if (taskId === undefined) return 'unknown type';
    if (TERMINAL_EVENTS.has(type)) {
      const handOver = (): Promise<Outcome> | 'unrouted' => {
        const task = endedTask(taskId, delivery);
        return task === undefined ? 'unrouted' : handOverTask(this.#workspace, task, this.#routing);
      };
      return takeTerminalEvent({ webhookId, type, taskId }, this.#routing, handOver);
    }
    if (type !== ('task.created' satisfies EventType)) return 'not routed';
    return takeCreatedEvent(this.#workspace, createdTask(taskId, delivery), this.#routing);
  }
}

/**
 * What makes a delivery the same as an earlier one. Where the id is not signed, whoever has seen one delivery
 * could send it again under the id of another and have that one taken for a duplicate: so what is signed is
 * part of the identity.
 */
function identityOf({ webhookId, idIsSigned, event }: Delivery): string {
  return idIsSigned ? webhookId : `${webhookId} ${event.type} ${event.taskId ?? ''}`;
}

function asDuplicate(outcome: Outcome): Outcome {
  return OUTCOMES[outcome].acknowledged ? 'duplicate' : outcome;
}
