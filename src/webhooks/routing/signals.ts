import type { TaskEvent } from '../../contract/generation.ts';
import type { EventSink, SignalResult } from '../../temporal/event-sink.ts';
import type { Route, SignalUnderWay } from './task-routes.ts';

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

  constructor(send: EventSink['signal'], perWorkflow: number) {
    this.#send = send;
    this.#perWorkflow = perWorkflow;
  }

  /** @throws when Temporal cannot be reached or refuses */
  async send(route: Route, event: TaskEvent): Promise<SignalResult> {
    const { taskId, type } = event;
    for (const other of route.underWay) {
      if (other.taskId === taskId && other.type === type) {
        this.shared += 1;
        return other.result;
      }
    }
    if (route.signals >= this.#perWorkflow) return 'exhausted';
    route.signals += 1;
    const underWay: SignalUnderWay = { taskId, type, result: this.#send(route.workflowId, event) };
    route.underWay.push(underWay);
    try {
      return await underWay.result;
    } finally {
      route.underWay.splice(route.underWay.indexOf(underWay), 1);
    }
  }
}
