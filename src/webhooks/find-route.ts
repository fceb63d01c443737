import type { TaskRoutes } from './task-routes.ts';
import type { VisibilityRoutes } from './visibility-routes.ts';

/** When to look, in milliseconds after the event came, and in which order among others. */
export interface SearchPlan {
  checks: readonly number[];
  urgent: boolean;
}

export type RouteAnswer =
  | { kind: 'found'; workflowId: string; way: 'map' | 'visibility' }
  /** Visibility answered and knows of none. */
  | { kind: 'none' }
  /** Visibility never answered. */
  | { kind: 'unanswered'; error: unknown };

/** An answer that is late because many wait for look-ups is waited for a little longer than the last check. */
const PATIENCE = 2_000;

/**
 * Looks for a task's workflow until it is found or the plan has come to its end.
 *
 * @param routes when given, a submit of this process that ends in the meantime counts as found
 */
export function findRoute(
  taskId: string,
  { checks, urgent }: SearchPlan,
  visibility: VisibilityRoutes,
  routes?: TaskRoutes,
): Promise<RouteAnswer> {
  return new Promise((resolve) => {
    const start = performance.now();
    let failure: unknown = new Error('visibility did not answer in time');
    let answered = false;
    let settled = false;
    let timer: NodeJS.Timeout | undefined;

    const settle = (answer: RouteAnswer): void => {
      settled = true;
      clearTimeout(timer);
      clearTimeout(end);
      stopListening?.();
      resolve(answer);
    };
    const giveUp = (): void => settle(answered ? { kind: 'none' } : { kind: 'unanswered', error: failure });
    const checkNext = (): void => {
      if (settled) return;
      const elapsed = performance.now() - start;
      const next = checks.find((at) => at > elapsed);
      if (next === undefined) giveUp();
      else timer = setTimeout(look, next - elapsed);
    };
    const look = (): void => {
      visibility.lookUp(taskId, urgent).then(
        (workflowId) => {
          answered = true;
          if (workflowId === undefined) checkNext();
          else settle({ kind: 'found', workflowId, way: 'visibility' });
        },
        (error: unknown) => {
          failure = error;
          checkNext();
        },
      );
    };

    const end = setTimeout(giveUp, (checks.at(-1) ?? 0) + PATIENCE);
    const stopListening = routes?.onRegistered(taskId, (workflowId) =>
      settle({ kind: 'found', workflowId, way: 'map' }),
    );
    if (checks[0] === 0) look();
    else checkNext();
  });
}
