import { LRUCache } from 'lru-cache';
import { taskKey, type WorkspaceTask } from '../../contract/workspace-task.ts';
import { type EventSink, VisibilityBusyError } from '../../temporal/event-sink.ts';
import { Pace } from './pace.ts';
import type { Route, TaskRoutes } from './task-routes.ts';

/** Events of one burst come within milliseconds: waiting this long lets them share a query. */
const GATHER = 5;
const MOST_QUERIES_AT_ONCE = 4;
const REMEMBERED = 20_000;

interface LookUp {
  task: WorkspaceTask;
  resolve: (route: Route | undefined) => void;
  reject: (error: unknown) => void;
}

export interface VisibilityCounts {
  answered: number;
  busy: number;
  failed: number;
}

/**
 * Finds workflows by task id in Temporal's visibility: many ids a query, a few queries a second, fewer when the
 * server refuses. What was found is remembered.
 */
export class VisibilityRoutes {
  readonly counts: VisibilityCounts = { answered: 0, busy: 0, failed: 0 };
  readonly #find: EventSink['find'];
  readonly #idsPerQuery: number;
  readonly #pace: Pace;
  /** By the tasks' keys. */
  readonly #known = new LRUCache<string, Route>({ max: REMEMBERED });
  readonly #routes: TaskRoutes;
  #urgent: LookUp[] = [];
  #patient: LookUp[] = [];
  #queries = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    find: EventSink['find'],
    routes: TaskRoutes,
    { perSecond, burst, idsPerQuery }: { perSecond: number; burst: number; idsPerQuery: number },
  ) {
    this.#find = find;
    this.#routes = routes;
    this.#idsPerQuery = idsPerQuery;
    this.#pace = new Pace({ perSecond, burst });
  }

  /**
   * One look-up, in the next query that has room; urgent ones go first.
   *
   * @returns the way to the workflow, or undefined where visibility shows none (yet: it lags by about 0.1 s)
   * @throws whatever the query was refused with
   */
  lookUp(task: WorkspaceTask, urgent: boolean): Promise<Route | undefined> {
    const known = this.#known.get(taskKey(task));
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      (urgent ? this.#urgent : this.#patient).push({ task, resolve, reject });
      this.#wakeIn(GATHER);
    });
  }

  #wakeIn(milliseconds: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#pump();
    }, milliseconds);
  }

  #pump(): void {
    while (this.#urgent.length + this.#patient.length > 0 && this.#queries < MOST_QUERIES_AT_ONCE) {
      const wait = this.#pace.permit();
      if (wait > 0) {
        this.#wakeIn(wait);
        return;
      }
      void this.#query(this.#nextBatch());
    }
  }

  #nextBatch(): LookUp[] {
    const batch = this.#urgent.splice(0, this.#idsPerQuery);
    return batch.concat(this.#patient.splice(0, this.#idsPerQuery - batch.length));
  }

  async #query(batch: readonly LookUp[]): Promise<void> {
    this.#queries += 1;
    try {
      const found = await this.#find(batch.map(({ task }) => task));
      this.#pace.succeeded();
      this.counts.answered += 1;
      for (const [key, workflowId] of found) this.#known.set(key, this.#routes.to(workflowId));
      for (const { task, resolve } of batch) {
        const workflowId = found.get(taskKey(task));
        resolve(workflowId === undefined ? undefined : this.#routes.to(workflowId));
      }
    } catch (error) {
      const busy = error instanceof VisibilityBusyError;
      if (busy) this.#pace.refused();
      this.counts[busy ? 'busy' : 'failed'] += 1;
      for (const { reject } of batch) reject(error);
    } finally {
      this.#queries -= 1;
      this.#pump();
    }
  }
}
