/** Two 32-bit numbers a slot; a second number of 0 marks an empty one. */
const SLOT = 2;
const NONE = new Uint32Array(0);

/**
 * A set of ids in a fixed piece of memory, which forgets the oldest: at least the latest `capacity` ids are
 * known, at most twice as many. Two tables with open addressing; when the younger is full, the older is emptied
 * and takes its place.
 *
 * It keeps 64-bit fingerprints instead of the ids. With 200,000 of them the chance that a new id is taken for
 * a known one is 1 in 10^14, and it would only cost the event its head start: the poll settles the task. In
 * return nothing is allocated and nothing is left for the garbage collector, which with a Map of strings was
 * the largest single cost of a delivery after its HMAC.
 */
export class RememberedIds {
  readonly #capacity: number;
  readonly #mask: number;
  /** Made with the first id, so that a workspace that gets no webhooks costs nothing. */
  #young = NONE;
  #old = NONE;
  #count = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
    // At most half full, so that probes stay short.
    const slots = 2 ** Math.ceil(Math.log2(Math.max(1, capacity) * 2));
    this.#mask = slots - 1;
  }

  has(id: string): boolean {
    if (this.#young === NONE) return false;
    fingerprint(id);
    return !isEmpty(this.#young, this.#slotIn(this.#young)) || !isEmpty(this.#old, this.#slotIn(this.#old));
  }

  add(id: string): void {
    if (this.#young === NONE) {
      this.#young = new Uint32Array((this.#mask + 1) * SLOT);
      this.#old = new Uint32Array((this.#mask + 1) * SLOT);
    }
    fingerprint(id);
    const slot = this.#slotIn(this.#young);
    if (!isEmpty(this.#young, slot)) return;
    this.#young[slot] = high;
    this.#young[slot + 1] = low;
    this.#count += 1;
    if (this.#count < this.#capacity) return;
    [this.#young, this.#old] = [this.#old.fill(0), this.#young];
    this.#count = 0;
  }

  /** Where the fingerprint stands in a table, or the empty slot where it would. */
  #slotIn(table: Uint32Array): number {
    let slot = high & this.#mask;
    while (!isEmpty(table, slot * SLOT) && (table[slot * SLOT] !== high || table[slot * SLOT + 1] !== low)) {
      slot = (slot + 1) & this.#mask;
    }
    return slot * SLOT;
  }
}

function isEmpty(table: Uint32Array, slot: number): boolean {
  return table[slot + 1] === 0;
}

/** The fingerprint of the id at hand: two variables instead of a pair, which would be allocated every time. */
let high = 0;
let low = 0;

/** Two multiplicative hashes that feed each other, finished as in MurmurHash3. */
function fingerprint(id: string): void {
  let a = 0x9747b28c | 0;
  let b = id.length;
  for (let i = 0; i < id.length; i++) {
    const code = id.charCodeAt(i);
    a = Math.imul(a ^ code, 0x85ebca6b);
    a = (a << 13) | (a >>> 19);
    b = Math.imul(b ^ code, 0xc2b2ae35) + a;
    b = (b << 15) | (b >>> 17);
  }
  high = mixed(a ^ (b >>> 7));
  low = mixed(b ^ high) || 1;
}

function mixed(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
