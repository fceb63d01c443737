import QuickLRU from 'quick-lru';
import { type Priced, priceFacts } from '../../policy/prices/price-facts.ts';
import {
  type Cost,
  costOf,
  likelyCost,
  type PriceFacts,
  PriceTable,
} from '../../policy/prices/price-table.ts';
import type { DarkroomMetrics } from '../metrics.ts';
import type { WarningLog } from '../warning-log.ts';

/** A charge of more than so many times its estimate is an alarm, where it is also more than that allows for. */
const ALARM = 3;
/** Tasks whose prices this process remembers. */
const REMEMBERED = 10_000;

/** A task as its record tells of it. */
export interface ChargedTask {
  taskId: string;
  model: string;
  credits: number;
  /** What its price hangs on; undefined: nobody can tell. */
  facts: PriceFacts | undefined;
}

/** What this process knows of prices. */
export class Prices {
  readonly #table = new PriceTable();
  readonly #tasks = new QuickLRU<string, Omit<ChargedTask, 'taskId'>>({ maxSize: REMEMBERED });
  readonly #log: WarningLog;
  readonly #metrics: Pick<DarkroomMetrics, 'priceAlarm'>;

  constructor({ log, metrics }: { log: WarningLog; metrics: Pick<DarkroomMetrics, 'priceAlarm'> }) {
    this.#log = log;
    this.#metrics = metrics;
  }

  /** What a task costs, as far as this process knows, what of that is likely, and what it hangs on. */
  of(priced: Priced): { cost: Cost; likely: number | null; facts: PriceFacts | undefined } {
    const facts = priceFacts(priced);
    const estimate = facts === undefined ? undefined : this.#table.estimate(facts);
    return { cost: costOf(estimate), likely: likelyCost(estimate), facts };
  }

  /**
   * A record has told what a task has cost: a submit's answer, or any look at it. Learned once of each task, and anew where
   * it has become more: what is left after a refund is no price.
   */
  charged({ taskId, model, credits, facts: told }: ChargedTask): void {
    const known = this.#tasks.get(taskId);
    // Who has submitted it knows most of what it is made of.
    const facts = known?.facts ?? told;
    if (facts === undefined || (known !== undefined && credits <= known.credits)) return;
    this.#tasks.set(taskId, { model, credits, facts });
    const estimate = this.#table.estimate(facts);
    this.#table.learn(facts, credits);
    if (estimate === undefined || credits <= Math.max(ALARM * estimate.expected, estimate.high)) return;
    this.#metrics.priceAlarm(model);
    this.#log.warn(
      { model, taskId, credits, expected: estimate.expected },
      `a task of ${model} was charged ${credits} credits: ${estimate.expected} were expected`,
    );
  }
}
