import { Accounts } from './accounts/accounts.ts';
import { Ledger } from './accounts/ledger.ts';
import { RateLimits } from './accounts/rate-limits.ts';
import { startAccounts } from './accounts/start-accounts.ts';
import { Templates } from './accounts/templates.ts';
import { ModelRoutes } from './api/model-routes.ts';
import { assumptionsSchema } from './assumptions.ts';
import { Faults } from './faults/faults.ts';
import { Files } from './files/files.ts';
import { Counters } from './http/counters.ts';
import type { TaskRenderer } from './media/render-task.ts';
import { tinyOutputs } from './media/tiny-renderer.ts';
import type { EmulatorOptions } from './options.ts';
import type { Service } from './service.ts';
import type { Changes } from './storage/changes.ts';
import type { Storage } from './storage/storage.ts';
import { Lifecycle } from './tasks/lifecycle.ts';
import { type Pace, type RenderOutcome, Scheduler } from './tasks/scheduler.ts';
import { type Task, Tasks } from './tasks/tasks.ts';
import { Deliveries } from './webhooks/deliveries.ts';
import { Endpoints } from './webhooks/endpoints.ts';

/** Attempts under way at the same time, for each endpoint. */
const DELIVERY_CONCURRENCY = 64;

/** What outlives a reset. */
export interface Surroundings {
  storage: Storage;
  changes: Changes;
  origin: () => string;
  reset: () => Promise<void>;
  log: (line: string) => void;
  /** The first account's key before the reset. */
  apiKey?: string | undefined;
}

export interface RunningService extends Service {
  /** Goes on with what the storage holds: tasks and deliveries that are not finished. */
  resume(): void;
  close(): Promise<void>;
}

/** Builds the parts of an emulator on its storage. Nothing runs before `resume`. */
export function compose(options: EmulatorOptions, surroundings: Surroundings): RunningService {
  const { storage, changes, origin, reset, log } = surroundings;
  const assumptions = assumptionsSchema.parse(options.assumptions ?? {});
  const speed = options.speed ?? 1;
  const pace: Pace = { speed, durations: options.durations ?? {}, seed: options.seed ?? 1 };
  const keeping = { storage, changes };
  const accounts = new Accounts(keeping);
  const tasks = new Tasks(keeping, assumptions.retainedTasks);
  const ledger = new Ledger(keeping);
  const faults = new Faults(keeping, pace.seed);
  const endpoints = new Endpoints(keeping);
  const templates = new Templates(keeping);
  const models = new ModelRoutes(options.models);
  const files = new Files(keeping, tasks, options.dbFile && `${options.dbFile}-media`);
  const deliveries = new Deliveries({
    keeping,
    accounts,
    endpoints,
    faults,
    assumptions,
    origin,
    pace: {
      retries: options.webhooks?.retries ?? assumptions.webhookRetries.map((pause) => pause / speed),
      timeout: options.webhooks?.timeout ?? assumptions.webhookTimeout,
      concurrency: options.webhooks?.concurrency ?? DELIVERY_CONCURRENCY,
    },
  });
  const lifecycle = new Lifecycle({
    storage,
    accounts,
    tasks,
    ledger,
    assumptions,
    publish: (type, task) => deliveries.publish(type, task),
  });
  // Loaded only where it is needed: the renderers bring native code and codecs with them.
  let renderer: Promise<TaskRenderer> | undefined;
  const loadedRenderer = (): Promise<TaskRenderer> => {
    renderer ??= import('./media/render-task.ts').then(
      ({ TaskRenderer }) => new TaskRenderer({ models, files, assumptions, origin, log }),
    );
    return renderer;
  };
  const render = async (task: Task): Promise<RenderOutcome> => (await loadedRenderer()).render(task);
  const scheduler = new Scheduler({
    tasks,
    lifecycle,
    render: options.media === 'tiny' ? (task) => Promise.resolve(tinyOutputs(models, task)) : render,
  });
  const apiKey = storage.atomically(() =>
    start(options, { storage, accounts, endpoints, templates, faults }, surroundings),
  );
  let closed = false;

  return {
    assumptions,
    pace,
    apiKey,
    storage,
    changes,
    counters: new Counters(),
    models,
    accounts,
    rateLimits: new RateLimits(),
    templates,
    ledger,
    tasks,
    lifecycle,
    scheduler,
    endpoints,
    deliveries,
    faults,
    files,
    origin,
    lookAtFiles: async (offered, input) => (await loadedRenderer()).lookAtFiles(offered, input),
    reset,
    get closed() {
      return closed;
    },
    resume: () => {
      deliveries.resume();
      for (const task of tasks.values()) scheduler.take(task);
    },
    close: async () => {
      closed = true;
      scheduler.close();
      await deliveries.close();
      await (await renderer)?.close();
    },
  };
}

/** Puts what the options ask for into a storage that does not have it yet. @returns the first account's key */
function start(
  options: EmulatorOptions,
  parts: Pick<Service, 'storage' | 'accounts' | 'endpoints' | 'templates' | 'faults'>,
  { apiKey }: Surroundings,
): string {
  const settings = parts.storage.table<{ id: string; value: string }>('settings');
  const stored = settings.all().find(({ id }) => id === 'api-key')?.value;
  const key = startAccounts(parts.accounts, options.accounts, apiKey ?? stored);
  // One that was given is not ours to keep.
  if (options.accounts?.[0]?.apiKey === undefined) settings.put('api-key', { id: 'api-key', value: key });
  for (const endpoint of options.endpoints ?? []) {
    const known = parts.endpoints
      .all()
      .find(({ workspace, url }) => workspace === endpoint.workspace && url === endpoint.url);
    if (known === undefined) parts.endpoints.create(endpoint);
    else if (endpoint.secret !== undefined && endpoint.secret !== known.secrets[0]?.value) {
      parts.endpoints.rotate(known, 0, endpoint.secret);
    }
  }
  for (const template of options.templates ?? []) {
    parts.templates.create({ model: null, workspace: null, ...template });
  }
  // Rules of an earlier start are not doubled: without a name of their own they go by their place.
  for (const [index, rule] of (options.faults ?? []).entries()) {
    parts.faults.keep({ ...rule, id: rule.id ?? `${rule.on}-${rule.fault.kind}-${index + 1}` });
  }
  return key;
}
