import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EmulatorOptions } from '../../emulator/src/index.ts';
import { readConfigFile } from '../../src/config/config-file.ts';
import { FAST, openWorld, type World } from '../workflows/world.ts';
import { type Ended, type RunOptions, starter, starterHere } from './run-program.ts';

/** A world, and the command line as somebody uses it who has set the variables to that world. */
export interface StarterWorld extends World {
  /** `npm run starter -- <args>` in this process, see `starterHere`. */
  runHere(...args: string[]): Promise<Ended>;
  /** The same in a process of its own, with other settings, or with something happening to it. */
  runWith(env: Record<string, string>, args: string[], options?: RunOptions): Promise<Ended>;
  /** Writes a JSON file. @returns its path */
  file(name: string, content: unknown): Promise<string>;
}

/** The policy of the tests, for `--policy`. */
export const POLICY = JSON.stringify(FAST);

/** @param file the content of DARKROOM_CONFIG, for the worker and the command line alike */
export async function openStarterWorld(file?: object, options: EmulatorOptions = {}): Promise<StarterWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-starter-'));
  const path = join(folder, 'darkroom.json');
  if (file !== undefined) await writeFile(path, JSON.stringify(file));
  const world = await openWorld({
    emulator: options,
    ...(file === undefined ? {} : { config: { caps: readConfigFile(path).file.caps } }),
  });
  const { config, emulator } = world;
  const settings = {
    ...(file === undefined ? {} : { DARKROOM_CONFIG: path }),
    TEMPORAL_ADDRESS: config.temporal.address,
    TEMPORAL_UI_URL: 'http://ui.example',
    DARKROOM_TASK_QUEUE: config.taskQueue,
    DARKROOM_API_URL: emulator.baseUrl,
    DARKROOM_API_KEY: emulator.apiKey,
    DARKROOM_OUTPUTS: config.outputs.kind === 'folder' ? config.outputs.path : '',
  };
  return {
    ...world,
    runHere: (...args) => starterHere(args, settings),
    runWith: (env, args, options) => starter(args, { ...settings, ...env }, options),
    async file(name, content) {
      const path = join(folder, name);
      await writeFile(path, JSON.stringify(content));
      return path;
    },
    async close() {
      await world.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
