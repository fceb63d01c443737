import { TERMINAL_EVENTS } from '../../api/events/event-types.ts';
import type { CreatedTask } from '../../contract/entities/task-notices.ts';
import { handOverTask, takeCreatedEvent } from './created-event.ts';
import { createdTask, endedTask } from './created-task.ts';
import { DelayReports } from './delay-reports.ts';
import { artifactsOf } from './event-artifacts.ts';
import type { EventRouting } from './event-routing.ts';
import { OUTCOMES, type Outcome } from './outcome.ts';
import type { VerifiedEvent } from './parse-event.ts';
import { reasonOf } from './reason-of.ts';
import { RecentIds } from './recent-ids.ts';
import { takeTerminalEvent } from './terminal-event.ts';

/**
 * The verified events of one workspace: each `webhook-id` is passed on once. An id counts as known only after it
 * was acknowledged; a duplicate that comes before that shares the first one's outcome.
 */
export class WorkspaceEvents {
  readonly #workspace: string;
  readonly #routing: EventRouting;
  readonly #known: RecentIds;
  /** Tasks whose creation or start was told of. */
  readonly #announced: RecentIds;
  readonly #underWay = new Map<string, Promise<Outcome>>();
  readonly #delays: DelayReports;

  constructor(workspace: string, rememberedIds: number, routing: EventRouting) {
    this.#workspace = workspace;
    this.#routing = routing;
    this.#known = new RecentIds(rememberedIds, routing.now);
    this.#announced = new RecentIds(rememberedIds, routing.now);
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
    if (this.#known.has(id)) {
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
      this.#known.add(id);
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
    if (OUTCOMES[settled].acknowledged) this.#known.add(id);
    else this.missed();
    answer(settled);
    return settled;
  }

  /** What is answered at once is always acknowledged. */
  #route(event: VerifiedEvent): 'unknown type' | 'not routed' | Promise<Outcome> {
    const { type, taskId, webhookId } = event;
    if (taskId === undefined) return 'unknown type';
    this.#routing.recordsClock.told({ workspace: this.#workspace, taskId }, event.prediction?.['created_at']);
    if (TERMINAL_EVENTS.has(type)) {
      const handOver = (): Promise<Outcome> | 'unrouted' => {
        const task = endedTask(taskId, event);
        return task === undefined ? 'unrouted' : handOverTask(this.#workspace, task, this.#routing);
      };
      const artifacts = artifactsOf(event);
      const told = { webhookId, type, taskId, ...(artifacts === undefined ? {} : { artifacts }) };
      return takeTerminalEvent(this.#workspace, told, this.#routing, handOver);
    }
    return this.#announced.has(taskId) ? 'not routed' : this.#announce(createdTask(taskId, event));
  }

  /** The first that is heard of a task. While it is under way, or once it was taken, no other is needed. */
  async #announce(task: CreatedTask): Promise<Outcome> {
    this.#announced.add(task.taskId);
    let outcome: Outcome = 'unavailable';
    try {
      outcome = await takeCreatedEvent(this.#workspace, task, this.#routing);
    } finally {
      if (!OUTCOMES[outcome].acknowledged) this.#announced.delete(task.taskId);
    }
    return outcome;
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
