import type { Model } from '../../../src/api/models/define-model.ts';
import type { ModelOverride, ModelOverrides } from '../../../src/api/models/override.ts';
import { findModel, MODEL_IDS, type ModelId } from '../../../src/api/models/registry.ts';
import { fromWire } from '../../../src/api/wire.ts';

const VERSION = /^[\w.-]+$/;

/** A model as this emulator offers it: under the names that its overrides give. */
export interface OfferedModel {
  id: ModelId;
  model: Model;
  override: ModelOverride;
}

/** Finds the model that a submit's path names. */
export class ModelRoutes {
  readonly #byId = new Map<string, OfferedModel>();
  readonly #byPath = new Map<string, OfferedModel>();

  /** @param overrides other paths and field names, written as in `DARKROOM_CONFIG` */
  constructor(overrides: ModelOverrides = {}) {
    for (const id of MODEL_IDS) {
      const model = findModel(id);
      if (model === undefined) continue;
      const offered = { id, model, override: overrides[id] ?? {} };
      this.#byId.set(id, offered);
      this.#byPath.set(withoutVersion(offered.override.path ?? model.path).path, offered);
    }
  }

  get(id: string): OfferedModel | undefined {
    return this.#byId.get(id);
  }

  /**
   * @param path below the base URL, e.g. `generation/darkroom/face-swap-c:1`. A model with versions needs one
   *   (any will do: which exist is not shown), the others take none.
   */
  find(path: string): OfferedModel | undefined {
    const { path: bare, version } = withoutVersion(path);
    const offered = this.#byPath.get(bare);
    if (offered === undefined) return undefined;
    const expected = withoutVersion(offered.override.path ?? offered.model.path).version !== undefined;
    const fits = expected ? version !== undefined && VERSION.test(version) : version === undefined;
    return fits ? offered : undefined;
  }
}

/** An input under the names that the contract gives its fields; without fields that are called otherwise here. */
export function inOurNames(offered: OfferedModel, input: Record<string, unknown>): Record<string, unknown> {
  const misnamed = renamedAway(offered, input);
  const known = Object.entries(input).filter(([name]) => !misnamed.includes(name));
  return fromWire(Object.fromEntries(known), offered.override);
}

/** Fields sent under the contract's name though they have another one here. */
export function renamedAway({ override }: OfferedModel, input: Record<string, unknown>): string[] {
  const { fields } = override;
  if (fields === undefined) return [];
  const onWire = new Set(Object.values(fields));
  return Object.keys(input).filter((name) => Object.hasOwn(fields, name) && !onWire.has(name));
}

function withoutVersion(path: string): { path: string; version: string | undefined } {
  const colon = path.indexOf(':', path.lastIndexOf('/'));
  if (colon === -1) return { path, version: undefined };
  return { path: path.slice(0, colon), version: path.slice(colon + 1) };
}
