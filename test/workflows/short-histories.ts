import { openTemporal } from '../../src/local/temporal/open-temporal.ts';
import { PROMPT } from '../setup/prompt-server.ts';
import { eventually, type Generation, openWorld, type World, type WorldOptions } from './world.ts';

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
    dynamicConfig: { ...PROMPT, 'limit.historyCount.suggestContinueAsNew': events },
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

/** What a run has to be told again and again until another one goes on for it. */
export type Nudge = (latest: Generation) => Promise<unknown>;

/** Waits until another run goes on for the one of that workflow id that is there now. */
export async function goesOn(world: World, workflowId: string, nudge?: Nudge): Promise<Generation> {
  const latest: Generation = world.client.workflow.getHandle(workflowId);
  const { runId } = await eventually(() => latest.describe());
  const another = async (): Promise<void> => {
    await nudge?.(latest);
    if ((await latest.describe()).runId === runId) throw new Error('the same run goes on');
  };
  await eventually(another, nudge && 20);
  return latest;
}
