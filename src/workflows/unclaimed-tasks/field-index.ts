import { type FieldDigests, ofInput } from '../../api/input/field-digests.ts';

/** Of an input without any field. */
const NO_FIELD = '';

/**
 * Submits by what they sent: each is found by one of its fields, the one that the fewest others share. A task that it
 * may have bought has all of them.
 */
export class FieldIndex<Item extends { fields: FieldDigests }> {
  readonly #byField = new Map<string, Set<Item>>();
  readonly #fieldOf = new Map<Item, string>();

  add(item: Item): void {
    const [rarest = NO_FIELD] = keysOf(item.fields).sort((a, b) => this.#share(a) - this.#share(b));
    const sharing = this.#byField.get(rarest) ?? new Set();
    this.#byField.set(rarest, sharing.add(item));
    this.#fieldOf.set(item, rarest);
  }

  delete(item: Item): void {
    const key = this.#fieldOf.get(item) ?? NO_FIELD;
    const sharing = this.#byField.get(key);
    sharing?.delete(item);
    if (sharing?.size === 0) this.#byField.delete(key);
    this.#fieldOf.delete(item);
  }

  /** Those that may have bought a task with these fields: all others have not. */
  *candidates(fields: FieldDigests): Iterable<Item> {
    for (const key of [NO_FIELD, ...keysOf(fields)]) yield* this.#byField.get(key) ?? [];
  }

  #share(key: string): number {
    return this.#byField.get(key)?.size ?? 0;
  }
}

function keysOf(fields: FieldDigests): string[] {
  return Object.entries(ofInput(fields)).map(([name, digest]) => `${name}=${digest}`);
}
