import { LRUCache } from 'lru-cache';
import { type EventType, TERMINAL_EVENTS } from '../../api/event-types.ts';
import { handOverTask, takeCreatedEvent } from './created-event.ts';
import { createdTask, endedTask } from './created-task.ts';
import { DelayReports } from './delay-reports.ts';
import type { EventRouting } from './event-routing.ts';
import { OUTCOMES, type Outcome } from './outcome.ts';
import type { VerifiedEvent } from './parse-event.ts';
import { reasonOf } from './reason-of.ts';
import { takeTerminalEvent } from './terminal-event.ts';

/** How long a `webhook-id` is remembered, in milliseconds: at least 24 hours (API specification, Receiver rules). */
const REMEMBERED_FOR = 25 * 60 * 60_000;
/** How exactly times are kept, in milliseconds: the clock is read once in so long. */
const CLOCK = 1_000;

/**
 * The verified events of one workspace: each `webhook-id` is passed on once. An id counts as known only after it
 * was acknowledged; a duplicate that comes before that shares the first one's outcome.
 */
export class WorkspaceEvents {
  readonly #workspace: string;
  readonly #routing: EventRouting;
  readonly #maxKnown: number;
  /** Made with the first id: it takes its memory at once, and many a workspace gets no webhooks. */
  #known: LRUCache<string, true> | undefined;
  readonly #underWay = new Map<string, Promise<Outcome>>();
  readonly #delays: DelayReports;

  constructor(workspace: string, rememberedIds: number, routing: EventRouting) {
    this.#workspace = workspace;
    this.#routing = routing;
    this.#maxKnown = rememberedIds;
    this.#delays = new DelayReports(() => routing.sink.delayed(workspace), routing.troubles);
  }

  /** Events could not be taken, and will come again: those who wait for them are told. */
  missed(): void {
    this.#delays.note();
  }

  /** Tells nobody any more. */
  close(): void {
    this.#delays.stop();
  }

  /** Never throws, and calls `answer` exactly once: at once where nothing has to be waited for. */
  take(event: VerifiedEvent, answer: (outcome: Outcome) => void): void {
    const id = identityOf(event);
    if (this.#known?.has(id) === true) {
      answer('duplicate');
      return;
    }
    const first = this.#underWay.get(id);
    if (first !== undefined) {
      void first.then((outcome) => answer(OUTCOMES[outcome].acknowledged ? 'duplicate' : outcome));
      return;
    }
    const outcome = this.#route(event);
    if (typeof outcome === 'string') {
      this.#remember(id);
      answer(outcome);
      return;
    }
    this.#underWay.set(id, this.#settle(id, outcome, answer));
  }

  async #settle(id: string, outcome: Promise<Outcome>, answer: (outcome: Outcome) => void): Promise<Outcome> {
    let settled: Outcome = 'unavailable';
    try {
      settled = await outcome;
    } catch (error) {
      this.#routing.troubles.warn('an event could not be handled', { reason: reasonOf(error) });
    }
    this.#underWay.delete(id);
    if (OUTCOMES[settled].acknowledged) this.#remember(id);
    else this.missed();
    answer(settled);
    return settled;
  }

  #remember(id: string): void {
    this.#known ??= new LRUCache({ max: this.#maxKnown, ttl: REMEMBERED_FOR, ttlResolution: CLOCK });
    this.#known.set(id, true);
  }

  /** What is answered at once is always acknowledged. */
  #route(event: VerifiedEvent): 'unknown type' | 'not routed' | Promise<Outcome> {
    const { type, taskId, webhookId } = event;
    if (taskId === undefined) return 'unknown type';
    if (TERMINAL_EVENTS.has(type)) {
      const handOver = (): Promise<Outcome> | 'unrouted' => {
        const task = endedTask(taskId, event);
        return task === undefined ? 'unrouted' : handOverTask(this.#workspace, task, this.#routing);
      };
      return takeTerminalEvent(this.#workspace, { webhookId, type, taskId }, this.#routing, handOver);
    }
    if (type !== ('task.created' satisfies EventType)) return 'not routed';
    return takeCreatedEvent(this.#workspace, createdTask(taskId, event), this.#routing);
  }
}

/**
 * What makes a delivery the same as an earlier one. Where the id is not signed, whoever has seen one delivery
 * could send it again under the id of another and have that one taken for a duplicate: so what is signed is
 * part of the identity.
 */
function identityOf({ webhookId, idIsSigned, type, taskId }: VerifiedEvent): string {
  return idIsSigned ? webhookId : `${webhookId} ${type} ${taskId ?? ''}`;
}
