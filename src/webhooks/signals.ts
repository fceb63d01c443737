import type { TaskEvent } from '../workflows/contract.ts';
import type { EventSink, SignalResult } from './event-sink.ts';
import { RecentMap } from './recent-map.ts';

const WORKFLOWS_COUNTED = 50_000;

/**
 * Signals to workflows, so few that the server's limits are never met: events of the same type for the same
 * task share the signal that is under way, and after `perWorkflow` signals a workflow gets no more from this
 * process. Nothing is lost by that: a signal only makes the workflow look at the record earlier.
 */
export class Signals {
  /** Events that went along with another one's signal. */
  shared = 0;
  readonly #send: EventSink['signal'];
  readonly #perWorkflow: number;
  readonly #sent = new RecentMap<number>(WORKFLOWS_COUNTED);
  readonly #underWay = new Map<string, Promise<SignalResult>>();

  constructor(send: EventSink['signal'], perWorkflow: number) {
    this.#send = send;
    this.#perWorkflow = perWorkflow;
  }

  /** @throws when Temporal cannot be reached or refuses */
  send(workflowId: string, event: TaskEvent): Promise<SignalResult> {
    const key = `${event.taskId} ${event.type}`;
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) {
      this.shared += 1;
      return underWay;
    }
    const sent = this.#sent.get(workflowId) ?? 0;
    if (sent >= this.#perWorkflow) return Promise.resolve('exhausted');
    this.#sent.set(workflowId, sent + 1);
    const signal = this.#send(workflowId, event).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, signal);
    return signal;
  }
}
