import type { ParkedGeneration } from '../../contract/credit-gate.ts';

/**
 * The queue of a credit gate as release 0.1 has it: who may submit again at which balance.
 *
 * A generation with a known price waits until the balance covers it. One without waits until the balance has
 * grown at all; then they go one at a time, and go on doing so until one of them comes back refused. Whoever
 * was refused after a release waits for a balance above the one it was refused at.
 */
export class GateQueue01 {
  readonly #entries = new Map<string, ParkedGeneration>();
  /** Balance at the release, by workflow id, of those that may come back. */
  readonly #released = new Map<string, number>();
  /** Whether the last one without a known price went through (or has not come back yet). */
  #open = false;

  constructor(entries: readonly ParkedGeneration[] = []) {
    for (const entry of entries) this.#entries.set(entry.parkId, entry);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Whether the next one without a known price may follow soon. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** In the order in which they have been without credits. */
  entries(): ParkedGeneration[] {
    return [...this.#entries.values()].sort((a, b) => a.parkedSince - b.parkedSince);
  }

  park(entry: ParkedGeneration): void {
    if (this.#entries.has(entry.parkId)) return;
    const refusedAt = this.#released.get(entry.workflowId);
    if (refusedAt === undefined) {
      this.#entries.set(entry.parkId, entry);
      return;
    }
    this.#released.delete(entry.workflowId);
    this.#entries.set(entry.parkId, { ...entry, baseline: entry.baseline ?? refusedAt, refused: true });
    this.#open = false;
  }

  leave(parkId: string): void {
    this.#entries.delete(parkId);
  }

  /** Takes out, in order, those that may submit again at this balance. */
  release(available: number): ParkedGeneration[] {
    const woken: ParkedGeneration[] = [];
    let left = available;
    let probing = false;
    for (const entry of this.entries()) {
      const baseline = Math.min(entry.baseline ?? available, available);
      const grown = available > baseline;
      const { price } = entry;
      const may =
        price === undefined
          ? !probing &&
            woken.length === 0 &&
            available > 0 &&
            (grown || (this.#open && entry.refused !== true))
          : price <= left && (baseline < price || grown);
      if (!may) {
        this.#entries.set(entry.parkId, { ...entry, baseline });
        // Nobody overtakes: what is left of the balance is for the one at the head.
        left = 0;
        probing = true;
        continue;
      }
      left -= price ?? left;
      probing ||= price === undefined;
      if (price === undefined) this.#open = true;
      this.#entries.delete(entry.parkId);
      this.#released.set(entry.workflowId, available);
      woken.push(entry);
    }
    return woken;
  }
}
