import type { TaskEvent } from '../../contract/generation.ts';
import type { SignalResult } from '../../temporal/event-sink.ts';
import type { EventRouting } from './event-routing.ts';
import type { Outcome } from './outcome.ts';
import { reasonOf } from './reason-of.ts';
import type { Route } from './task-routes.ts';

/** Shares of the hold after which visibility is asked; it lags by about 0.1 s. */
const CHECKS = [0, 0.05, 0.15, 0.35, 0.65, 1];

/**
 * Signals a completed, failed or canceled task's event to the workflow of its workspace that holds the task: at once when this
 * process submitted it, else as soon as visibility shows it.
 *
 * @param handOver what becomes of a task that no workflow holds: its `task.created` may have been lost
 */
export function takeTerminalEvent(
  workspace: string,
  event: TaskEvent,
  routing: EventRouting,
  handOver: () => Promise<Outcome> | Outcome,
): Promise<Outcome> {
  const route = routing.routes.find({ workspace, taskId: event.taskId });
  return route === undefined
    ? search(workspace, event, routing, handOver)
    : signal(route, 'map', event, routing);
}

async function search(
  workspace: string,
  event: TaskEvent,
  routing: EventRouting,
  handOver: () => Promise<Outcome> | Outcome,
): Promise<Outcome> {
  const { holds, troubles, log } = routing;
  const plan = { checks: CHECKS.map((share) => share * holds.terminal) };
  const answer = await routing.search.find({ workspace, taskId: event.taskId }, plan);
  if (answer.kind === 'too many held') return answer.kind;
  if (answer.kind === 'found') return signal(answer.route, answer.way, event, routing);
  if (answer.kind === 'none') {
    const outcome = await handOver();
    if (outcome === 'unrouted')
      log.info(named(event), 'no workflow holds this task; its event is acknowledged');
    return outcome;
  }
  troubles.warn('visibility does not answer', { ...named(event), reason: reasonOf(answer.error) });
  return 'unavailable';
}

async function signal(
  route: Route,
  way: 'map' | 'visibility',
  event: TaskEvent,
  { signals, log, troubles }: EventRouting,
): Promise<Outcome> {
  const { workflowId } = route;
  try {
    const result = await signals.send(route, event);
    log.debug({ ...named(event), workflowId, way, result }, 'event routed');
    return AFTER_SIGNAL[way][result];
  } catch (error) {
    troubles.warn('a signal was refused', { ...named(event), workflowId, reason: reasonOf(error) });
    return 'unavailable';
  }
}

/** What a log may have of an event: its files' URLs may be signed, and are secrets then. */
function named({ webhookId, type, taskId }: TaskEvent): TaskEvent {
  return { webhookId, type, taskId };
}

const AFTER_SIGNAL = {
  map: { taken: 'routed by map', closed: 'closed', exhausted: 'signals exhausted' },
  visibility: { taken: 'routed by visibility', closed: 'closed', exhausted: 'signals exhausted' },
} as const satisfies Record<string, Record<SignalResult, Outcome>>;
