import { type EventType, TERMINAL_EVENTS } from '../api/event-types.ts';
import { isRecord } from '../api/is-record.ts';
import { takeCreatedEvent } from './created-event.ts';
import type { EventRouting } from './event-routing.ts';
import { OUTCOMES, type Outcome } from './outcome.ts';
import type { ReceivedEvent } from './parse-event.ts';
import { RememberedIds } from './remembered-ids.ts';
import { reasonOf, takeTerminalEvent } from './terminal-event.ts';

/** A verified delivery. */
export interface Delivery {
  webhookId: string;
  /** Whether the signature covers the id; the legacy one does not. */
  idIsSigned: boolean;
  event: ReceivedEvent;
  /** Milliseconds since the epoch. */
  receivedAt: number;
}

/**
 * The deliveries of one workspace: each `webhook-id` is handed over once. An id counts as known only after it
 * was acknowledged; a duplicate that comes before that shares the first one's outcome.
 */
export class Deliveries {
  readonly #workspace: string;
  readonly #routing: EventRouting;
  readonly #known: RememberedIds;
  readonly #underWay = new Map<string, Promise<Outcome>>();

  constructor(workspace: string, rememberedIds: number, routing: EventRouting) {
    this.#workspace = workspace;
    this.#routing = routing;
    this.#known = new RememberedIds(rememberedIds);
  }

  /** Never throws. Answers at once where nothing has to be waited for. */
  deliver(delivery: Delivery): Outcome | Promise<Outcome> {
    const id = identityOf(delivery);
    if (this.#known.has(id)) return 'duplicate';
    const underWay = this.#underWay.get(id);
    if (underWay !== undefined) return underWay.then(asDuplicate);

    const outcome = this.#take(delivery);
    if (typeof outcome === 'string') {
      this.#known.add(id);
      return outcome;
    }
    const settled = outcome.then(
      (result) => {
        this.#underWay.delete(id);
        if (OUTCOMES[result].acknowledged) this.#known.add(id);
        return result;
      },
      (error: unknown): Outcome => {
        this.#underWay.delete(id);
        this.#routing.troubles.warn('an event could not be handled', { reason: reasonOf(error) });
        return 'unavailable';
      },
    );
    this.#underWay.set(id, settled);
    return settled;
  }

  /** What is answered at once is always acknowledged. */
  #take({ event, webhookId, receivedAt }: Delivery): 'unknown type' | 'not routed' | Promise<Outcome> {
    const { type, taskId, prediction } = event;
    if (taskId === undefined) return 'unknown type';
    if (TERMINAL_EVENTS.has(type)) return takeTerminalEvent({ webhookId, type, taskId }, this.#routing);
    if (type !== ('task.created' satisfies EventType)) return 'not routed';
    const { input, created_at: createdAt } = prediction ?? {};
    const task = {
      taskId,
      webhookId,
      input: isRecord(input) ? input : {},
      createdAt: typeof createdAt === 'string' ? createdAt : null,
      receivedAt,
    };
    return takeCreatedEvent(this.#workspace, task, this.#routing);
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
