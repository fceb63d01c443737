import type { Accounts } from './accounts/accounts.ts';
import type { Ledger } from './accounts/ledger.ts';
import type { RateLimits } from './accounts/rate-limits.ts';
import type { Templates } from './accounts/templates.ts';
import type { ModelRoutes, OfferedModel } from './api/model-routes.ts';
import type { Assumptions } from './assumptions.ts';
import type { Faults } from './faults/faults.ts';
import type { Files } from './files/files.ts';
import type { Counters } from './http/counters.ts';
import type { Changes } from './storage/changes.ts';
import type { Storage } from './storage/storage.ts';
import type { Lifecycle } from './tasks/lifecycle.ts';
import type { Pace, Scheduler } from './tasks/scheduler.ts';
import type { Tasks } from './tasks/tasks.ts';
import type { Deliveries } from './webhooks/deliveries.ts';
import type { Endpoints } from './webhooks/endpoints.ts';

/** What there is of the files that an input names. */
export interface FilesLook {
  /** How long the longest video or sound lasts, in seconds. */
  seconds: number;
  /** What is wrong with one. */
  broken?: string;
}

/** All parts of a running emulator, for the routes that answer from them. */
export interface Service {
  readonly assumptions: Assumptions;
  /** The first account's key. */
  readonly apiKey: string;
  readonly pace: Pace;
  readonly storage: Storage;
  readonly changes: Changes;
  readonly counters: Counters;
  readonly models: ModelRoutes;
  readonly accounts: Accounts;
  readonly rateLimits: RateLimits;
  readonly templates: Templates;
  readonly ledger: Ledger;
  readonly tasks: Tasks;
  readonly lifecycle: Lifecycle;
  readonly scheduler: Scheduler;
  readonly endpoints: Endpoints;
  readonly deliveries: Deliveries;
  readonly faults: Faults;
  readonly files: Files;
  /** `http://host:port`, or the public URL that it was given. */
  readonly origin: () => string;
  /** Fetches the files that an input names, and looks into them. */
  readonly lookAtFiles: (offered: OfferedModel, input: Record<string, unknown>) => Promise<FilesLook>;
  /** No work may be begun any more. */
  readonly closed: boolean;
  /** Back to what it was at its first start. */
  readonly reset: () => Promise<void>;
}
