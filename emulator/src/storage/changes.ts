/** What can change in the emulator, as the live stream of the control API names it. */
export type ChangeKind =
  | 'task'
  | 'delivery'
  | 'workspace'
  | 'key'
  | 'endpoint'
  | 'template'
  | 'fault'
  | 'ledger'
  | 'reset';

export interface Change {
  kind: ChangeKind;
  id: string;
}

type Listener = (change: Change) => void;

/** Tells listeners what has changed, by kind and id only: whoever wants to know more reads it. */
export class Changes {
  readonly #listeners = new Set<Listener>();

  announce(kind: ChangeKind, id: string): void {
    if (this.#listeners.size === 0) return;
    for (const listener of this.#listeners) listener({ kind, id });
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
