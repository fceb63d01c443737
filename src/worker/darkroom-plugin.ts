import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SimplePlugin } from '@temporalio/plugin';
import type { BundleOptions, Worker, WorkerOptions } from '@temporalio/worker';
import { doubtfulSettings } from '../config/doubtful-settings.ts';
import { type Config, ConfigError, loadConfig } from '../config/worker-config.ts';
import { ACTIVITY_NAMES } from '../contract/activity-names.ts';
import { CODE } from '../package/built.ts';
import { PACKAGE } from '../package/name.ts';
import { needPackages, WORKER_PACKAGES } from '../package/needed-packages.ts';
import { DEFAULT_NAMESPACE } from '../temporal/settings.ts';
import type { ReceiverLog } from '../webhooks/receiver-log.ts';
import type { HostedParts } from './start-workers.ts';
import { untilEnded } from './until-ended.ts';

export interface DarkroomPluginOptions {
  /** As the environment says when absent; the task queue is the Worker's in any case. */
  config?: Config | undefined;
  /** Whether webhooks are received in this process, too. Default: yes. */
  receiver?: boolean | undefined;
  /** Whether the API is asked once for every key before the Worker runs. Default: yes. */
  preflight?: boolean | undefined;
  /** Default: one line a happening on standard error. */
  log?: ReceiverLog | undefined;
}

/**
 * Adds Darkroom to a Worker of one's own: its workflows to the bundle, its activities to the task queue, and, while the
 * Worker runs, the queue for submits and the webhook receiver beside it in the same process.
 *
 * ```ts
 * const worker = await Worker.create({
 *   connection, taskQueue: 'films', workflowsPath: require.resolve('./workflows'), plugins: [darkroomPlugin()],
 * });
 * ```
 *
 * A bundle that is made beforehand is made with it: `bundleWorkflowCode({ workflowsPath, plugins: [darkroomPlugin()] })`.
 * A plugin is for one Worker. One that replays histories needs no settings.
 */
export function darkroomPlugin(options: DarkroomPluginOptions = {}): SimplePlugin {
  return new DarkroomPlugin(options);
}

const SOURCES = fileURLToPath(new URL('..', import.meta.url));

class DarkroomPlugin extends SimplePlugin {
  readonly #options: DarkroomPluginOptions;
  #config: Config | undefined;
  /** What the Worker registers before there is a connection works as soon as it runs. */
  readonly #parts = Promise.withResolvers<HostedParts>();
  #running: HostedParts | undefined;

  constructor(options: DarkroomPluginOptions) {
    super({ name: 'darkroom' });
    this.#options = options;
  }

  override configureBundler(options: BundleOptions): BundleOptions {
    const { workflowsPath, preloadModules = [], webpackConfigHook = (config) => config } = options;
    return {
      ...options,
      preloadModules: [...preloadModules, join(SOURCES, 'workflows', `index${CODE}`)],
      workflowsPath: join(SOURCES, 'workflow', `added-to-own${CODE}`),
      webpackConfigHook(config) {
        const { resolve = {}, ...rest } = webpackConfigHook(config);
        return {
          ...rest,
          resolve: { ...resolve, alias: withAlias(resolve.alias, `${PACKAGE}/own-workflows`, workflowsPath) },
        };
      },
      payloadConverterPath:
        options.payloadConverterPath ?? join(SOURCES, 'workflows', `payload-converter${CODE}`),
      failureConverterPath:
        options.failureConverterPath ?? join(SOURCES, 'workflows', `failure-converter${CODE}`),
    };
  }

  /** @throws ConfigError, MissingPackages */
  override configureWorker(options: WorkerOptions): WorkerOptions {
    needPackages(`${PACKAGE}/worker`, WORKER_PACKAGES);
    const { taskQueue, namespace = DEFAULT_NAMESPACE, sinks } = options;
    const config = this.#options.config ?? loadConfig();
    if (config.temporal.namespace !== namespace)
      throw new ConfigError([
        {
          setting: 'TEMPORAL_NAMESPACE',
          wrong: `is ${config.temporal.namespace}, and the Worker's namespace is ${namespace}`,
          example: `TEMPORAL_NAMESPACE=${namespace}`,
        },
      ]);
    this.#config = { ...config, taskQueue };
    const held: HostedParts['sinks']['tasks']['held'] = {
      // Told before it runs: what a process takes over is told in the replay, too.
      fn: (info, task) => this.#running?.sinks.tasks.held.fn(info, task),
      callDuringReplay: true,
    };
    const counts: HostedParts['sinks']['counts'] = {
      attempted: { fn: (...told) => this.#running?.sinks.counts.attempted.fn(...told) },
      charged: { fn: (...told) => this.#running?.sinks.counts.charged.fn(...told) },
      adopted: { fn: (...told) => this.#running?.sinks.counts.adopted.fn(...told) },
      asked: { fn: (...told) => this.#running?.sinks.counts.asked.fn(...told) },
    };
    return {
      ...options,
      activities: { ...options.activities, ...this.#activities() },
      sinks: { ...sinks, tasks: { ...sinks?.['tasks'], held }, counts },
    };
  }

  override async runWorker(worker: Worker, next: (worker: Worker) => Promise<void>): Promise<void> {
    const config = this.#config;
    if (config === undefined) throw new Error('the plugin was not there when its Worker was made');
    const [{ startDarkroom }, { createLog }] = await Promise.all([
      import('./start-darkroom.ts'),
      import('./log.ts'),
    ]);
    const { receiver = true, preflight = true, log = createLog() } = this.#options;
    if (this.#options.config === undefined) for (const doubt of doubtfulSettings(config)) log.warn({}, doubt);
    const darkroom = await startDarkroom(config, {
      worker: true,
      receiver,
      preflight,
      log,
      host: (parts) => {
        this.#running = parts;
        this.#parts.resolve(parts);
      },
    });
    let broken: unknown;
    darkroom.failed.catch((error: unknown) => {
      broken = error;
      if (worker.getState() === 'RUNNING') worker.shutdown();
    });
    try {
      await untilEnded(worker, next(worker));
    } finally {
      await darkroom.stop();
    }
    if (broken !== undefined) throw broken;
  }

  /** Every activity by its name, which waits until there is a connection. */
  #activities(): object {
    return Object.fromEntries(
      ACTIVITY_NAMES.map((name) => [
        name,
        async (...args: never[]): Promise<unknown> => {
          const { activities } = await this.#parts.promise;
          const activity = activities[name] as (...args: never[]) => Promise<unknown>; // called as it was scheduled
          return await activity(...args);
        },
      ]),
    );
  }
}

type Aliases = NonNullable<ReturnType<NonNullable<BundleOptions['webpackConfigHook']>>['resolve']>['alias'];

/** Webpack takes aliases as an object or as a list. */
function withAlias(aliases: Aliases, name: string, path: string): NonNullable<Aliases> {
  if (Array.isArray(aliases)) return [...aliases, { name, onlyModule: true, alias: path }];
  return { ...aliases, [`${name}$`]: path };
}
