import { Prices } from '../../contract/purchases/prices.ts';
import type { Reserving, Starting } from '../../contract/steps/carried-pipeline.ts';
import { put, type State } from './state.ts';

/**
 * A pipeline's budget in credits. A price is reserved before its submit and settled after, so the sum of what is spent
 * and what may still be spent never passes the limit. A price that nobody knows counts as all that is left. Those who
 * ask are admitted in their order. Further attempts reserve in the pipeline's account. Without a limit everything is
 * admitted at once.
 */
export function admitted(state: State): State {
  const asking = [...state.steps]
    .flatMap(([path, stage]) =>
      stage.at === 'reserving' && stage.place === 'asking' ? [[path, stage] as const] : [],
    )
    .toSorted(([, one], [, other]) => one.turn - other.turn);
  if (asking.length === 0) return state;
  if (state.request.budget === undefined)
    return put(state, ...asking.map(([path, stage]) => [path, starting(stage, null)] as const));
  const prices = pricesOf(state);
  let next = state;
  for (const [path, stage] of asking) {
    const left = leftOf(next);
    const known = prices.at(stage.order ?? '');
    const price = known ?? left;
    if (left > 0 && price <= left) {
      next = put(next, [path, starting(stage, price)]);
    } else if (mayComeBack(next)) break;
    else next = put(next, [path, refused(stage)]);
  }
  return next;
}

/** Credits that neither are spent nor may be. */
export function leftOf(state: State): number {
  return reservations(state).reduce(
    (left, most) => left - most,
    (state.request.budget?.credits ?? Infinity) - state.spent,
  );
}

/** What is held for a generation that runs already, whether the budget admits it or not; null: there is no budget. */
export function heldFor(state: State, order: string): number | null {
  if (state.request.budget === undefined) return null;
  return pricesOf(state).at(order) ?? Math.max(0, leftOf(state));
}

/** The prices that are known by now; to be asked alone. */
export function pricesOf({ prose, prices }: State): Prices {
  return new Prices(prose, prices);
}

/** Nothing does from those that take over what is paid for. */
function mayComeBack(state: State): boolean {
  return reservations(state).some((most) => most > 0);
}

function reservations({ steps }: State): number[] {
  return [...steps.values()].flatMap((stage) =>
    stage.at === 'starting' || stage.at === 'following' ? (stage.most ?? 0) : [],
  );
}

function starting({ earlier }: Reserving, most: number | null): Starting {
  return { at: 'starting', most, ...(earlier === undefined ? {} : { earlier }) };
}

/** What an earlier run of it has bought is taken over, whatever the budget says: it needs no credits. */
function refused(stage: Reserving): Reserving | Starting {
  if (stage.earlier?.run === undefined) return { ...stage, place: 'refused' };
  return { ...starting(stage, 0), isBeyond: true };
}
