import type { Gauge, Registry } from 'prom-client';
import { gauge } from '../operations/metrics/create-metrics.ts';
import { formatDuration } from '../policy/duration.ts';
import type { WarningLog } from './warning-log.ts';

/** What can be in trouble, as the metric names it, with the words of the log. */
const WHAT = {
  reads: 'reading tasks from the API fails',
  submits: 'submits to the API fail',
  temporal: 'Temporal does not answer',
  webhooks: 'no webhook has come although tasks have ended',
} as const;

export type TroubledPart = keyof typeof WHAT;

/** What fails for less is a moment (milliseconds). */
const LASTS = 60_000;
/** Nothing but a person ends these, so they are told at once. */
const AT_ONCE: ReadonlySet<string> = new Set(['UNAUTHORIZED', 'FORBIDDEN', 'WORKSPACE_FORBIDDEN', 'NO_KEY']);
/** The workspaces are configured; what has no workspace has this label. */
const ALL = '';
/** What has not failed for so long counts as over, also where nobody has tried it again (milliseconds). */
const QUIET = { reads: 30 * 60_000, submits: 5 * 60_000 } as const;
/** Tasks and runs that are remembered of one trouble. */
const MOST_FAILING = 1_000;

interface Trouble {
  /** Milliseconds since the epoch. */
  since: number;
  isTold: boolean;
  /** Tasks or runs that have failed and not worked since, with when they last failed. */
  failing: Map<string, number>;
}

/**
 * What this process cannot do at the moment although it should: told by one line of the log when it lasts, one when it
 * is over, and by a metric meanwhile. Where some tasks fail and others work, it is over once all that failed work again,
 * or have not failed for long. Costs a look into a map for each call that works.
 */
export class Troubles {
  readonly #log: WarningLog;
  readonly #gauge: Gauge<'what' | 'workspace'>;
  readonly #lasts: number;
  readonly #open = new Map<string, Trouble>();

  /** @param lasts what fails for less is not told (milliseconds) */
  constructor(registry: Registry, log: WarningLog, lasts = LASTS) {
    this.#log = log;
    this.#lasts = lasts;
    this.#gauge = gauge(registry, 'darkroom_trouble');
  }

  /**
   * @param code of the refusal, where there was an answer
   * @param who the task or run that failed, where others may work meanwhile
   */
  failed(what: TroubledPart, { workspace = ALL, code = '', reason, who }: Failed): void {
    const key = `${what} ${workspace}`;
    const trouble = this.#open.get(key) ?? { since: Date.now(), isTold: false, failing: new Map() };
    this.#open.set(key, trouble);
    if (who !== undefined && (trouble.failing.size < MOST_FAILING || trouble.failing.has(who)))
      trouble.failing.set(who, Date.now());
    const lasts = Date.now() - trouble.since >= this.#lasts || AT_ONCE.has(code);
    if (trouble.isTold || !lasts) return;
    trouble.isTold = true;
    this.#gauge.set({ what, workspace }, 1);
    this.#log.warn({ what, ...named(workspace), reason }, `${WHAT[what]}${of(workspace)}: ${reason}`);
  }

  worked(what: TroubledPart, workspace = ALL, who = ''): void {
    const key = `${what} ${workspace}`;
    const trouble = this.#open.get(key);
    if (trouble === undefined) return;
    trouble.failing.delete(who);
    const quiet = what in QUIET ? QUIET[what as keyof typeof QUIET] : 0; // it is one of them
    for (const [other, at] of trouble.failing) if (Date.now() - at >= quiet) trouble.failing.delete(other);
    if (trouble.failing.size > 0) return;
    this.#open.delete(key);
    if (!trouble.isTold) return;
    this.#gauge.set({ what, workspace }, 0);
    const lasted = formatDuration(Date.now() - trouble.since);
    this.#log.warn({ what, ...named(workspace) }, `over after ${lasted}: ${WHAT[what]}${of(workspace)}`);
  }
}

interface Failed {
  workspace?: string;
  code?: string;
  reason: string;
  who?: string | undefined;
}

function named(workspace: string): { workspace?: string } {
  return workspace === ALL ? {} : { workspace };
}

function of(workspace: string): string {
  return workspace === ALL ? '' : ` (workspace ${workspace})`;
}
