import { Registry } from 'prom-client';
import { askedSeldom } from '../operations/asked-seldom.ts';
import { Operations } from '../operations/operations.ts';
import type { EventSink } from '../temporal/event-sink.ts';
import { acknowledge } from './http/answers.ts';
import { ConnectionGate } from './http/connection-gate.ts';
import { Endpoint, type EndpointDeps } from './http/endpoint.ts';
import { EndpointPaths } from './http/endpoint-paths.ts';
import { Gathered } from './http/gathered.ts';
import { BodyBudget } from './http/read-request.ts';
import { ReceiverServer } from './http/server.ts';
import { ReceiverCounts, registerMetrics } from './metrics.ts';
import { OccasionalLog } from './occasional-log.ts';
import type { ReceiverConfig } from './receiver-config.ts';
import type { ReceiverLog } from './receiver-log.ts';
import { createEventRouting } from './routing/event-routing.ts';
import { RecordsClock } from './routing/records-clock.ts';
import type { TaskRoutes } from './routing/task-routes.ts';
import { WorkspaceEvents } from './routing/workspace-events.ts';
import { SeenEvents } from './seen-events.ts';

export interface ReceiverDeps {
  config: ReceiverConfig;
  sink: EventSink;
  /** Filled by this process's own submits; empty where only the receiver runs. */
  routes: TaskRoutes;
  /** The same. */
  recordsClock?: RecordsClock;
  log: ReceiverLog;
  /** Where the receiver's metrics are registered. Its own port, which strangers reach, shows them to nobody. */
  registry?: Registry;
  /** Whether operators have a port of their own, so that this one answers them 404. */
  operationsElsewhere?: boolean;
  /** Whether what else runs in this process takes work. */
  isWorking?: () => boolean;
  /** Told of each workspace that a signed event came for. */
  onEvent?: (workspace: string) => void;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

export interface Receiver {
  /** @throws when the address cannot be listened on */
  listen(): Promise<void>;
  /** The port that is listened on, or was. */
  readonly port: number;
  /** Reports unready, takes no further connections, finishes what is in flight, then closes. */
  close(): Promise<void>;
}

/** Puts the webhook receiver together: the server, an endpoint for each workspace, and the routing of events. */
export function createReceiver({
  config,
  sink,
  routes,
  recordsClock = new RecordsClock(),
  log,
  registry = new Registry(),
  operationsElsewhere = false,
  isWorking = () => true,
  onEvent = () => undefined,
  now = Date.now,
}: ReceiverDeps): Receiver {
  const troubles = new OccasionalLog(log, now);
  const counts = new ReceiverCounts();
  const gate = new ConnectionGate(config.caps.connections);
  const routing = createEventRouting(config, { sink, routes, recordsClock, log, troubles, now });
  const isDraining = (): boolean => server.isDraining;
  const isReachable = askedSeldom(() => sink.reachable());
  const isReady = async (): Promise<boolean> => !isDraining() && isWorking() && (await isReachable());
  const seen = new Map([...config.workspaces.keys()].map((name) => [name, new SeenEvents()]));
  const deps: EndpointDeps = {
    config,
    gate,
    budget: new BodyBudget(config.caps.bufferedBytes),
    counts,
    troubles,
    acknowledgements: new Gathered(acknowledge),
    observe: registerMetrics(registry, counts, { gate, routing, seen }),
    isDraining,
    onEvent,
    now,
  };
  const workspaces = [...config.workspaces].map(([name, hook]) => ({
    name,
    hook,
    events: new WorkspaceEvents(name, config.rememberedIds, routing),
    seen: seen.get(name) ?? new SeenEvents(),
  }));
  const server = new ReceiverServer({
    config,
    gate,
    counts,
    endpoints: new EndpointPaths(
      workspaces.map(({ name, ...parts }) => [name, new Endpoint(name, deps, parts)]),
    ),
    operations: operationsElsewhere ? undefined : new Operations({ isReady }),
  });
  return {
    get port() {
      return server.port;
    },
    async listen() {
      await server.listen();
      // Whatever was sent before found nobody here.
      for (const { events } of workspaces) events.missed();
    },
    async close() {
      log.info({ inFlight: counts.inFlight }, 'the receiver finishes its deliveries and closes');
      await server.close();
      for (const { events } of workspaces) events.close();
    },
  };
}
