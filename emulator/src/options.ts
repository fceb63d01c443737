import type { EventType } from '../../src/api/events/event-types.ts';
import type { ModelOverrides } from '../../src/api/models/override.ts';
import type { RateLimit } from './accounts/rate-limits.ts';
import type { Template } from './accounts/templates.ts';
import type { AssumptionsInput } from './assumptions.ts';
import type { FaultRuleInput } from './faults/rule.ts';

/** A workspace with one key, there from the start. */
export interface AccountOption {
  workspace: string;
  /** Default: a random one. */
  apiKey?: string | undefined;
  credits?:
    | {
        permanent?: number | undefined;
        subscription?: number | undefined;
        subscriptionExpiresAt?: Date | undefined;
      }
    | undefined;
  rateLimit?: RateLimit | null | undefined;
  /** Default: everything. */
  scope?: readonly string[] | undefined;
  /** Further workspaces that the key may act in. */
  otherWorkspaces?: readonly string[] | undefined;
}

interface EndpointOption {
  workspace: string;
  url: string;
  /** Default: a random one. */
  secret?: string | undefined;
  /** Default: all. */
  events?: readonly EventType[] | undefined;
}

/** All of it optional: the default is one workspace with plenty of credits, at realistic speed, in memory. */
export interface EmulatorOptions {
  /** 0: a free one. Default 4010. */
  port?: number | undefined;
  /** Default 127.0.0.1. */
  host?: string | undefined;
  /** What clients reach it under, where that is not `http://host:port`. */
  publicUrl?: string | undefined;
  /** Default: the workspace `default`. */
  accounts?: readonly AccountOption[] | undefined;
  endpoints?: readonly EndpointOption[] | undefined;
  templates?: readonly (Omit<Template, 'model' | 'workspace'> & Partial<Template>)[] | undefined;
  faults?: readonly FaultRuleInput[] | undefined;
  /** How many times faster than the real thing tasks and retries go. Default 1. */
  speed?: number | undefined;
  /** Exact times of a task, milliseconds, instead of realistic ones. */
  durations?: { queue?: number | undefined; run?: number | undefined } | undefined;
  /** Exact pauses between a delivery's attempts and its time-out, milliseconds. */
  webhooks?: { retries?: readonly number[]; timeout?: number; concurrency?: number } | undefined;
  /** `rendered`: real media; `tiny`: ready-made files of a few hundred bytes, without any rendering. */
  media?: 'rendered' | 'tiny' | undefined;
  /** A database file that keeps the state over a restart; its media lie beside it. */
  dbFile?: string | undefined;
  /** Of all that is drawn by chance: faults, durations, media. Default 1. */
  seed?: number | undefined;
  /** What the API specification does not show, said otherwise; of a table only what is to be different. */
  assumptions?: AssumptionsInput | undefined;
  /** Other paths and field names of models, written as in `DARKROOM_CONFIG`. */
  models?: ModelOverrides | undefined;
  /** Lets the control API be used from other machines. Default: from this one only. */
  openControl?: boolean | undefined;
  /** Takes a line for each thing that should not happen. Default: standard error. */
  log?: ((line: string) => void) | undefined;
}
