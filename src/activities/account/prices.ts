import { priceFacts } from '../../policy/prices/price-facts.ts';
import { type Cost, costOf, type PriceFacts, PriceTable } from '../../policy/prices/price-table.ts';
import type { DarkroomMetrics } from '../metrics.ts';
import type { WarningLog } from '../warning-log.ts';

/** A charge of more than so many times its estimate is an alarm. */
const ALARM = 3;

type Bought = Parameters<typeof priceFacts>[0];

/** What this process knows of prices. */
export class Prices {
  readonly #table = new PriceTable();
  readonly #log: WarningLog;
  readonly #metrics: Pick<DarkroomMetrics, 'priceAlarm'>;

  constructor({ log, metrics }: { log: WarningLog; metrics: Pick<DarkroomMetrics, 'priceAlarm'> }) {
    this.#log = log;
    this.#metrics = metrics;
  }

  /** What a task costs, as far as this process knows, and what that hangs on. */
  of(bought: Bought): { cost: Cost; facts: PriceFacts | undefined } {
    const facts = priceFacts(bought);
    const estimate = facts === undefined ? undefined : this.#table.estimate(facts);
    return { cost: costOf(estimate), facts };
  }

  /** What a task has cost. */
  paid(bought: Bought, credits: number): void {
    const facts = priceFacts(bought);
    if (facts === undefined) return;
    const estimate = this.#table.estimate(facts);
    this.#table.learn(facts, credits);
    if (estimate === undefined || credits <= ALARM * estimate.high) return;
    const { model } = bought;
    this.#metrics.priceAlarm(model);
    this.#log.warn(
      { model, credits, expected: estimate.expected },
      `a task of ${model} was charged ${credits} credits: such tasks have cost ${estimate.expected}`,
    );
  }
}
