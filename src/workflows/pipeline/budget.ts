import { condition } from '@temporalio/workflow';

/** What a purchase may cost at most; to be settled with what it did cost. */
export interface Reservation {
  /** Credits; undefined without a budget. */
  readonly most: number | undefined;
  settle(cost: number): void;
}

interface Waiting {
  price: () => number | undefined;
  isNew: boolean;
  decision?: Reservation | 'refused';
}

/**
 * A pipeline's budget in credits. A price is reserved before its submit and settled after, so the sum of what is spent
 * and what may still be spent never passes the limit. A price that nobody knows counts as all that is left. Those who
 * ask are admitted in their order; what is left is shared out among those who ask or are about to, so that each has
 * something for its retries. Without a limit everything is admitted at once.
 */
export class Budget {
  readonly #limit: number | undefined;
  readonly #until: (holds: () => boolean) => Promise<void>;
  #spent: number;
  /** What is reserved, by the purchase. A sum that is kept would not come back to nothing: credits may be fractions. */
  readonly #reserved = new Map<symbol, number>();
  #waiting: Waiting[] = [];
  /** Who is about to ask. */
  readonly #coming = new Set<string>();

  /** @param until waits until something holds: as workflows do, for whom whatever happens is looked at */
  constructor(
    limit: number | undefined,
    spent = 0,
    until: (holds: () => boolean) => Promise<void> = condition,
  ) {
    this.#limit = limit;
    this.#spent = spent;
    this.#until = until;
  }

  /** Credits, those of earlier runs included. */
  get spent(): number {
    return this.#spent;
  }

  /** What was bought without a reservation: by an earlier run. */
  spend(cost: number): void {
    this.#spent += cost;
  }

  /** Somebody is about to ask, or to find that there is no need to: what is left is shared with him. */
  expect(path: string): void {
    this.#coming.add(path);
  }

  expectNoMore(path: string): void {
    this.#coming.delete(path);
  }

  /** Reserves for what is bought already, whether the budget admits it or not. */
  hold(price: number | undefined): Reservation {
    return this.#grant(price ?? Math.max(0, this.#left()));
  }

  /**
   * Waits until the budget admits a purchase: what others have reserved may come back.
   *
   * @param path of the generation
   * @param price credits, where it is known by the time that the others have been admitted
   * @returns undefined where the budget does not admit it any more
   */
  async reserve(path: string, price: () => number | undefined): Promise<Reservation | undefined> {
    if (this.#limit === undefined) return { most: undefined, settle: (cost) => this.spend(cost) };
    this.#coming.delete(path);
    const asking: Waiting = { price, isNew: true };
    this.#waiting.push(asking);
    try {
      await this.#until(() => this.#decide(asking));
    } finally {
      this.#waiting = this.#waiting.filter((one) => one !== asking);
    }
    return asking.decision === 'refused' ? undefined : asking.decision;
  }

  /** Whether it is decided; not on the first asking, so that all who ask at the same time are known by then. */
  #decide(asking: Waiting): boolean {
    if (asking.isNew) {
      asking.isNew = false;
      return false;
    }
    this.#admit();
    return asking.decision !== undefined;
  }

  #admit(): void {
    const open = this.#waiting.filter(({ decision }) => decision === undefined);
    for (const [index, one] of open.entries()) {
      const left = this.#left();
      const known = one.price();
      const price = known ?? left;
      if (left > 0 && price <= left) {
        const share =
          known === undefined ? left : Math.floor(left / (open.length - index + this.#coming.size));
        one.decision = this.#grant(Math.max(price, share));
      } else if (this.#mayComeBack()) return;
      else one.decision = 'refused';
    }
  }

  /** Nothing does from those that take over what is paid for. */
  #mayComeBack(): boolean {
    return [...this.#reserved.values()].some((most) => most > 0);
  }

  #left(): number {
    return [...this.#reserved.values()].reduce(
      (left, most) => left - most,
      (this.#limit ?? Infinity) - this.#spent,
    );
  }

  #grant(most: number): Reservation {
    const purchase = Symbol('purchase');
    this.#reserved.set(purchase, most);
    return {
      most,
      settle: (cost) => {
        if (this.#reserved.delete(purchase)) this.#spent += cost;
      },
    };
  }
}
