import { openTemporal } from '../../src/local/temporal/open-temporal.ts';
import { openWorld, type World, type WorldOptions } from './world.ts';

/**
 * A world with a server of its own, which thinks that histories are long much sooner than others do: a test need not
 * wait for thousands of events. Closing it stops the server.
 *
 * @param events after which the server suggests to continue as new
 */
export async function openShortWorld(events: number, options: WorldOptions = {}): Promise<World> {
  const temporal = await openTemporal({
    ui: false,
    ports: { grpc: 0, ui: 0 },
    env: { ...process.env, TEMPORAL_ADDRESS: '' },
    dynamicConfig: {
      'history.timerProcessorMaxTimeShift': '5ms',
      'limit.historyCount.suggestContinueAsNew': events,
    },
  });
  const { address, namespace } = temporal;
  const world = await openWorld({ ...options, config: { temporal: { address, namespace } } });
  return {
    ...world,
    async close() {
      await world.close();
      await temporal.stop();
    },
  };
}
