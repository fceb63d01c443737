import { containsFields, fieldDigests, shortName } from '../../api/input/field-digests.ts';
import { isRecord } from '../../api/json/is-record.ts';
import type { Model } from '../../api/models/define-model.ts';
import type { ModelOverrides } from '../../api/models/override.ts';
import { ALL_MODELS, findModel } from '../../api/models/registry.ts';
import { wireFields } from '../../api/wire.ts';
import type { ModelShape } from '../../contract/entities/claims.ts';
import type { DarkroomMetrics } from '../metrics.ts';
import type { WarningLog } from '../warning-log.ts';

/** Fields that the API adds by itself to a model's inputs: more tell nothing of the model. */
const MAX_ADDED = 32;
/** A field of a name that the model does not have: names from outside are no metric's label. */
const OTHER = 'other';

/**
 * What normal answers show of how the API normalizes inputs. The task of a lost answer is found by its input: every
 * field that was sent must stand in it unchanged, and none that its model lacks. Whether the API keeps to that is
 * seen here, at every answer that was not lost, before it matters.
 */
export class NormalizedInputs {
  readonly #models: ModelOverrides;
  readonly #metrics: Pick<DarkroomMetrics, 'alteredField'>;
  readonly #log: WarningLog;
  /** By model: what the API adds and the registry does not know. */
  readonly #added = new Map<string, Set<string>>();
  readonly #told = new Set<string>();
  /** By model: the fields of those that could have been sent the same. */
  readonly #foreign = new Map<string, string[]>();

  constructor(models: ModelOverrides, metrics: Pick<DarkroomMetrics, 'alteredField'>, log: WarningLog) {
    this.#models = models;
    this.#metrics = metrics;
    this.#log = log;
  }

  /**
   * An answer to a submit that came.
   *
   * @param sent the body
   * @param normalized the answer's `input`; anything, it is the API's
   */
  note(modelId: string, sent: Record<string, unknown>, normalized: unknown): void {
    const model = findModel(modelId);
    if (model === undefined || !isRecord(normalized)) return;
    const known = new Set(wireFields(model, this.#models[modelId]).names);
    const answered = fieldDigests(normalized);
    for (const [name, digest] of Object.entries(fieldDigests(sent))) {
      if (!containsFields(answered, { [name]: digest })) this.#alter(modelId, known.has(name) ? name : OTHER);
    }
    const added = this.#added.get(modelId) ?? new Set();
    this.#added.set(modelId, added);
    for (const name of Object.keys(answered)) {
      if (added.size < MAX_ADDED && !known.has(name) && !Object.hasOwn(sent, name)) added.add(name);
    }
  }

  /**
   * What tells the tasks of a model from those of others: its fields on the wire, what the API adds to them, and the
   * fields of the models that take what this one must be sent.
   */
  shapeOf(modelId: string): ModelShape | undefined {
    const model = findModel(modelId);
    if (model === undefined) return undefined;
    const { names, open } = wireFields(model, this.#models[modelId]);
    const added = this.#added.get(modelId);
    const foreign = this.#foreignTo(model).filter((name) => !names.includes(name));
    const takes = {
      names: [...names, ...(added ?? [])].map(shortName),
      open,
      foreign: foreign.map(shortName),
      ...(added === undefined ? { unseen: true as const } : {}),
    };
    return { family: model.family, takes };
  }

  #foreignTo(model: Model): string[] {
    const known = this.#foreign.get(model.id);
    if (known !== undefined) return known;
    const renamed = this.#models[model.id]?.fields ?? {};
    const required = Object.entries(model.fields).flatMap(([name, field]) =>
      field.safeParse(undefined).success ? [] : (renamed[name] ?? name),
    );
    const others = ALL_MODELS.filter(({ id }) => id !== model.id)
      .map((other) => wireFields(other, this.#models[other.id]).names)
      .filter((names) => required.every((name) => names.includes(name)));
    const foreign = [...new Set(others.flat())];
    this.#foreign.set(model.id, foreign);
    return foreign;
  }

  #alter(model: string, field: string): void {
    this.#metrics.alteredField(model, field);
    if (this.#told.has(`${model} ${field}`)) return;
    this.#told.add(`${model} ${field}`);
    this.#log.warn(
      { model, field },
      'the API alters a field that is sent: a task of this model whose answer is lost cannot be found by it',
    );
  }
}
