import type { Route } from './route.ts';
import type { TaskRoutes } from './task-routes.ts';
import type { VisibilityRoutes } from './visibility-routes.ts';

/** When to look, in milliseconds after the event came, and in which order among others. */
export interface SearchPlan {
  checks: readonly number[];
  urgent: boolean;
}

export type RouteAnswer =
  | { kind: 'found'; route: Route; way: 'map' | 'visibility' }
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
      else timer = setTimeout(() => void look(), next - elapsed);
    };
    const look = async (): Promise<void> => {
      try {
        const route = await visibility.lookUp(taskId, urgent);
        answered = true;
        if (route !== undefined) settle({ kind: 'found', route, way: 'visibility' });
      } catch (error) {
        failure = error;
      }
      checkNext();
    };

    const end = setTimeout(giveUp, (checks.at(-1) ?? 0) + PATIENCE);
    const stopListening = routes?.onRegistered(taskId, (route) =>
      settle({ kind: 'found', route, way: 'map' }),
    );
    if (checks[0] === 0) void look();
    else checkNext();
  });
}
