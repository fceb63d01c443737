/** `temporal-darkroom/worker`: the worker and the webhook receiver, to be started by a program of one's own. */
import type { Config } from '../config/worker-config.ts';
import { PACKAGE } from '../package/name.ts';
import { needPackages, WORKER_PACKAGES } from '../package/needed-packages.ts';
import type { DarkroomOptions } from './darkroom-options.ts';
import type { Darkroom } from './start-darkroom.ts';

export { type Config, ConfigError, loadConfig } from '../config/worker-config.ts';
export { MissingPackages } from '../package/needed-packages.ts';
export type { DarkroomOptions } from './darkroom-options.ts';
export { type DarkroomPluginOptions, darkroomPlugin } from './darkroom-plugin.ts';
export type { Darkroom } from './start-darkroom.ts';

/** As `startDarkroom` of start-darkroom.ts. */
export async function startDarkroom(config: Config, options: DarkroomOptions): Promise<Darkroom> {
  needPackages(`${PACKAGE}/worker`, WORKER_PACKAGES);
  const { startDarkroom } = await import('./start-darkroom.ts');
  return await startDarkroom(config, options);
}
