import { digestOf } from '../../api/input/field-digests.ts';
import type { AccountState, Booking, Purchase } from '../../contract/entities/account.ts';
import { fromEntry, keyOf, type OpenPurchase, type OpenPurchases, toEntry } from './open-purchases.ts';

/** So many tasks are remembered that were settled, and that were taken for one of several purchases. */
const MOST = { settled: 1_000, guessed: 100 };

type TaskTold = Extract<Booking, { kind: 'found' | 'settle' }>;

/** Which tasks are settled, and which purchase one is of. Each is remembered by a digest of its id: the ends of ids may be alike. */
export class KnownTasks {
  readonly #purchases: OpenPurchases;
  readonly #settled: Set<string>;
  /** The purchase that a task was taken for, where others of its workflow had no task either. */
  readonly #guessed: Map<string, OpenPurchase>;
  /** What such a task has cost in the end, counted as that purchase's. */
  readonly #counted: Map<string, number>;

  constructor({ settled, guessed, counted }: AccountState, purchases: OpenPurchases) {
    this.#purchases = purchases;
    this.#settled = new Set(settled);
    this.#guessed = new Map(guessed?.map(([task, entry]) => [task, fromEntry(entry)]));
    this.#counted = new Map(counted);
  }

  carryOver(): Pick<AccountState, 'settled' | 'guessed' | 'counted'> {
    const guessed = [...this.#guessed];
    return {
      settled: [...this.#settled],
      guessed: guessed.map(([task, purchase]) => [task, toEntry(purchase)]),
      counted: [...this.#counted],
    };
  }

  isSettled(taskId: string): boolean {
    return this.#settled.has(digestOf(taskId));
  }

  /** @param credits what was counted for it */
  settle(taskId: string, credits: number): void {
    const task = digestOf(taskId);
    this.#settled.add(task);
    forgetFirst(this.#settled, MOST.settled);
    if (!this.#guessed.has(task)) return;
    this.#counted.set(task, credits);
    forgetFirst(this.#counted, MOST.guessed);
  }

  /** The open purchase that has bought a task, as far as anybody can tell. */
  purchaseOf({ taskId, workflowId, credits }: TaskTold): OpenPurchase | undefined {
    if (this.isSettled(taskId)) return undefined;
    const { all } = this.#purchases;
    // Another workflow may have taken it over from the one that has bought it.
    const known = all.find((purchase) => purchase.taskId === taskId);
    if (known !== undefined) return known;
    // One that lost its answer knows of no task: of several the first that has reserved most like its price.
    const lost = all.filter((purchase) => purchase.workflowId === workflowId && purchase.taskId === null);
    const distance = (purchase: OpenPurchase): number => Math.abs(purchase.credits - credits);
    const [first] = lost.sort((a, b) => distance(a) - distance(b));
    if (first === undefined || lost.length === 1) return first;
    this.#guessed.set(digestOf(taskId), { ...first });
    forgetFirst(this.#guessed, MOST.guessed);
    return first;
  }

  /**
   * A purchase has bought that task: another one that was taken for it is open again.
   *
   * @returns that one, with what was counted as its own where the task is settled
   */
  correct(taskId: string, purchase: Purchase): { taken: OpenPurchase; counted: number } | undefined {
    const task = digestOf(taskId);
    const taken = this.#guessed.get(task);
    const counted = this.#counted.get(task) ?? 0;
    this.#guessed.delete(task);
    this.#counted.delete(task);
    if (taken === undefined || keyOf(taken) === keyOf(purchase)) return undefined;
    this.#purchases.put(taken);
    return { taken, counted };
  }
}

function forgetFirst(all: Map<string, unknown> | Set<string>, most: number): void {
  const [first = ''] = all.keys();
  if (all.size > most) all.delete(first);
}
