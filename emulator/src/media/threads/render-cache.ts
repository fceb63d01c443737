import { createHash } from 'node:crypto';

/** What is kept: at least its bytes, which are what is counted. */
interface Sized {
  bytes: Uint8Array;
}

/**
 * Renders by what was asked for, bounded by their bytes: the least recently used go first. A render that is
 * under way is shared by all who ask for it, and one that fails is forgotten.
 */
export class RenderCache<Asset extends Sized> {
  readonly #capacity: number;
  readonly #kept = new Map<string, Asset>(); // in the order of their last use
  readonly #underWay = new Map<string, Promise<Asset>>();
  #bytes = 0;

  /** `capacity` in bytes; 0 keeps nothing. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The render of that key: kept, under way, or made now. */
  get(key: string, make: () => Promise<Asset>): Promise<Asset> {
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return Promise.resolve(kept);
    }
    const running = this.#underWay.get(key);
    if (running !== undefined) return running;
    const started = make()
      .then((asset) => {
        this.#keep(key, asset);
        return asset;
      })
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, started);
    return started;
  }

  #keep(key: string, asset: Asset): void {
    if (asset.bytes.byteLength > this.#capacity) return;
    this.#kept.set(key, asset);
    this.#bytes += asset.bytes.byteLength;
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= this.#capacity) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytes.byteLength;
    }
  }
}

/**
 * A key for a renderer's request: equal for equal requests whatever the order of their fields; files count by
 * their content.
 */
export function renderKey(renderer: string, request: unknown): string {
  const canonical = (value: unknown): unknown => {
    if (value instanceof Uint8Array) return { sha256: createHash('sha256').update(value).digest('hex') };
    if (Array.isArray(value)) return value.map(canonical);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).filter(([, field]) => field !== undefined);
    return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, canonical(field)]);
  };
  return createHash('sha256')
    .update(JSON.stringify([renderer, canonical(request)]))
    .digest('hex');
}
