import QuickLRU from 'quick-lru';
import { taskKey, type WorkspaceTask } from '../../contract/tasks/workspace-task.ts';
import { type EventSink, VisibilityBusyError } from '../../temporal/event-sink.ts';
import type { ReceiverConfig } from '../receiver-config.ts';
import { Pace } from './pace.ts';
import type { Route, TaskRoutes } from './task-routes.ts';

/** Events of one burst come within milliseconds: waiting this long lets urgent look-ups share a query. */
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
  readonly #known = new QuickLRU<string, Route>({ maxSize: REMEMBERED });
  readonly #routes: TaskRoutes;
  readonly #gather: number;
  #urgent: LookUp[] = [];
  #patient: LookUp[] = [];
  /** When the patient ones have gathered for long enough, on `performance.now()`'s clock. */
  #patientDue = 0;
  #queries = 0;
  #timer: NodeJS.Timeout | undefined;
  #wakesAt = Infinity;

  constructor(
    find: EventSink['find'],
    routes: TaskRoutes,
    { perSecond, burst, idsPerQuery, gather }: ReceiverConfig['visibility'],
  ) {
    this.#find = find;
    this.#routes = routes;
    this.#idsPerQuery = idsPerQuery;
    this.#gather = gather;
    this.#pace = new Pace({ perSecond, burst });
  }

  /**
   * One look-up, in the next query that has room; urgent ones go first, others gather for a while or go along.
   *
   * @returns the way to the workflow, or undefined where visibility shows none (yet: it lags by about 0.1 s)
   * @throws whatever the query was refused with
   */
  lookUp(task: WorkspaceTask, urgent: boolean): Promise<Route | undefined> {
    const known = this.#known.get(taskKey(task));
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      if (!urgent && this.#patient.length === 0) this.#patientDue = performance.now() + this.#gather;
      (urgent ? this.#urgent : this.#patient).push({ task, resolve, reject });
      this.#wakeIn(urgent ? GATHER : Math.max(0, this.#patientDue - performance.now()));
    });
  }

  #wakeIn(milliseconds: number): void {
    const at = performance.now() + milliseconds;
    if (at >= this.#wakesAt) return;
    clearTimeout(this.#timer);
    this.#wakesAt = at;
    this.#timer = setTimeout(() => {
      this.#wakesAt = Infinity;
      this.#pump();
    }, milliseconds);
  }

  #pump(): void {
    while (this.#urgent.length + this.#patient.length > 0 && this.#queries < MOST_QUERIES_AT_ONCE) {
      const early = this.#urgent.length > 0 ? 0 : this.#patientDue - performance.now();
      const wait = early > 0 ? early : this.#pace.permit();
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
