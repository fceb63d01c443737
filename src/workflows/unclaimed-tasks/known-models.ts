import { type FieldDigests, ofInput } from '../../api/input/field-digests.ts';
import type { ModelShape } from '../../contract/entities/claims.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import { MAX_MODEL_FIELDS } from './read-messages.ts';

/** Some hundred bytes each. */
const MAX_BYTES = 40_000;

/**
 * What tells the tasks of one model from those of others: once for all claims of the model. What one worker has seen the
 * API add stays known when the next one has not seen it.
 */
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

  /** What a claim says of its model. */
  learn(model: string, shape: ModelShape | undefined): void {
    if (shape === undefined) return;
    const before = this.of(model)?.takes;
    const { unseen, ...takes } = shape.takes;
    this.#put(model, {
      ...shape,
      takes: {
        ...takes,
        names: together(takes.names, before?.names ?? []),
        ...(unseen === true && (before === undefined || before.unseen === true) ? { unseen } : {}),
      },
    });
  }

  /** A task that is known to be of the model: it carries what the model's tasks carry. */
  see(model: string, fields: FieldDigests): void {
    const shape = this.of(model);
    if (shape === undefined) return;
    const { unseen: _, ...takes } = shape.takes;
    this.#put(model, {
      ...shape,
      takes: { ...takes, names: together(takes.names, Object.keys(ofInput(fields))) },
    });
  }

  /** Without room for it, what was known of the model before stays. */
  #put(model: string, shape: ModelShape): void {
    const room = MAX_BYTES - jsonBytes({ ...this.all, [model]: shape });
    if (room >= 0) this.#shapes.set(model, shape);
  }
}

function together(names: readonly string[], others: readonly string[]): string[] {
  return [...new Set([...names, ...others])].slice(0, MAX_MODEL_FIELDS);
}
