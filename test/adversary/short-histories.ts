import { openTemporal } from '../../src/local/temporal/open-temporal.ts';
import { openWorld, type World, type WorldOptions } from '../workflows/world.ts';

/** A world on a server of its own, which wants histories to end after so many events. */
export async function openShortWorld(
  events: number,
  options: WorldOptions = {},
): Promise<{ world: World; close: () => Promise<void> }> {
  const temporal = await openTemporal({
    ui: false,
    env: { ...process.env, TEMPORAL_ADDRESS: '' },
    ports: { grpc: 0, ui: 0 },
    dynamicConfig: {
      'history.timerProcessorMaxTimeShift': '5ms',
      'limit.historyCount.suggestContinueAsNew': events,
    },
  });
  const world = await openWorld({
    ...options,
    config: { ...options.config, temporal: { address: temporal.address, namespace: temporal.namespace } },
  });
  return {
    world,
    close: async () => {
      await world.close();
      await temporal.stop();
    },
  };
}
