import type { BalanceReading } from '../../contract/tasks/submit-task.ts';
import type { ApiAccess } from '../api-access.ts';
import { getBalance } from '../credit-gate/get-balance.ts';

/** A reading is good enough as "before" for this long (milliseconds): a submit must not wait for one. */
const FRESH = 15_000;

/**
 * The latest balance of each workspace that this process submits for: the evidence for a person who has to decide
 * about a submit with an unknown outcome. Costs one GET in 15 s and workspace, beside the submits.
 */
export class BalanceWatch {
  readonly #deps: ApiAccess;
  readonly #latest: Map<string, BalanceReading>;
  readonly #reading = new Map<string, Promise<BalanceReading | undefined>>();

  /** @param known readings from the start, by workspace */
  constructor(deps: ApiAccess, known: Iterable<[string, BalanceReading]> = []) {
    this.#deps = deps;
    this.#latest = new Map(known);
  }

  /** The latest reading; an old one is refreshed in the background, for the submits that follow. */
  latest(workspace: string): BalanceReading | undefined {
    const reading = this.#latest.get(workspace);
    if (reading === undefined || Date.now() - reading.at > FRESH) void this.#refresh(workspace);
    return reading;
  }

  /**
   * A reading that is not older than so many milliseconds; undefined when the API does not tell. Never throws.
   */
  async within(workspace: string, age: number): Promise<BalanceReading | undefined> {
    const reading = this.#latest.get(workspace);
    if (reading !== undefined && Date.now() - reading.at <= age) return reading;
    return await this.#refresh(workspace);
  }

  /** A reading from now; undefined when the API does not tell. Never throws. */
  async now(workspace: string): Promise<BalanceReading | undefined> {
    await this.#reading.get(workspace);
    return await this.#refresh(workspace);
  }

  #refresh(workspace: string): Promise<BalanceReading | undefined> {
    const running = this.#reading.get(workspace);
    if (running !== undefined) return running;
    const reading = getBalance(this.#deps, { workspace }).then((report) => {
      this.#reading.delete(workspace);
      if (report.kind !== 'balance') return undefined;
      const read = { available: report.available, at: Date.now() };
      this.#latest.set(workspace, read);
      return read;
    });
    this.#reading.set(workspace, reading);
    return reading;
  }
}
