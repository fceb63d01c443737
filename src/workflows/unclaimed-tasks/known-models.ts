import type { ModelShape } from '../../contract/unclaimed-tasks.ts';
import { byteSize } from './byte-size.ts';

/** Some hundred bytes each. */
const MAX_BYTES = 40_000;

/** What tells the tasks of one model from those of others: once for all claims of the model, as the latest says. */
export class KnownModels {
  readonly #shapes: Map<string, ModelShape>;

  constructor(shapes: Record<string, ModelShape> = {}) {
    this.#shapes = new Map(Object.entries(shapes));
  }

  get all(): Record<string, ModelShape> {
    return Object.fromEntries(this.#shapes);
  }

  of(model: string): ModelShape | undefined {
    return this.#shapes.get(model);
  }

  /** Without room for it, what was known of the model before stays. */
  learn(model: string, shape: ModelShape | undefined): void {
    if (shape === undefined) return;
    const room = MAX_BYTES - byteSize({ ...this.all, [model]: shape });
    if (room >= 0) this.#shapes.set(model, shape);
  }
}
