import type { ChangeKind, Changes } from './changes.ts';
import type { Storage, Table, TableName } from './storage.ts';

/** Where things are kept, and who is told when they change. */
export interface Keeping {
  storage: Storage;
  changes: Changes;
}

/** All things of a kind by id, in the order in which they came: in memory, and each change of them in the storage. */
export class Collection<T extends { readonly id: string }> {
  readonly #things = new Map<string, T>();
  readonly #table: Table<T>;
  readonly #announce: (id: string) => void;

  /** @param kind what listeners are told has changed; without it nobody is told */
  constructor({ storage, changes }: Keeping, table: TableName, kind?: ChangeKind) {
    this.#table = storage.table(table);
    this.#announce = (id) => kind !== undefined && changes.announce(kind, id);
    for (const thing of this.#table.all()) this.#things.set(thing.id, thing);
  }

  get size(): number {
    return this.#things.size;
  }

  get(id: string): T | undefined {
    return this.#things.get(id);
  }

  values(): IterableIterator<T> {
    return this.#things.values();
  }

  all(): T[] {
    return [...this.#things.values()];
  }

  /** Stores a new thing, or the changes made to one. */
  save(thing: T): void {
    this.#things.set(thing.id, thing);
    this.#table.put(thing.id, thing);
    this.#announce(thing.id);
  }

  /** False: there is none of that id. */
  remove(id: string): boolean {
    if (!this.#things.delete(id)) return false;
    this.#table.remove(id);
    this.#announce(id);
    return true;
  }
}
