import type { EventSink } from '../../temporal/event-sink.ts';
import type { OccasionalLog } from '../occasional-log.ts';
import type { ReceiverConfig } from '../receiver-config.ts';
import type { ReceiverLog } from '../receiver-log.ts';
import { RouteSearch } from './find-route.ts';
import type { RecordsClock } from './records-clock.ts';
import { Signals } from './signals.ts';
import type { TaskRoutes } from './task-routes.ts';
import { VisibilityRoutes } from './visibility-routes.ts';

/** What the routing of events works with; one for each receiver. */
export interface EventRouting {
  sink: EventSink;
  /** The tasks that this process submitted. */
  routes: TaskRoutes;
  recordsClock: RecordsClock;
  visibility: VisibilityRoutes;
  search: RouteSearch;
  signals: Signals;
  holds: ReceiverConfig['holds'];
  log: ReceiverLog;
  troubles: OccasionalLog;
  /** Milliseconds since the epoch. */
  now: () => number;
}

export function createEventRouting(
  config: Pick<ReceiverConfig, 'visibility' | 'signalsPerWorkflow' | 'holds'>,
  deps: Pick<EventRouting, 'sink' | 'routes' | 'recordsClock' | 'log' | 'troubles' | 'now'>,
): EventRouting {
  const { sink, routes } = deps;
  const { holds } = config;
  const visibility = new VisibilityRoutes((tasks) => sink.find(tasks), routes, config.visibility);
  return {
    ...deps,
    holds,
    visibility,
    search: new RouteSearch(visibility, routes, holds.max),
    signals: new Signals((workflowId, event) => sink.signal(workflowId, event), config.signalsPerWorkflow),
  };
}
