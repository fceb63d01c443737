import type { MediaKind } from '../api/models/media-kind.ts';
import { isFileInput } from '../contract/file-input.ts';

/** What a reference stands for; only the compiler sees it. */
declare const standsFor: unique symbol;

/** The URL of one output of a step; `Kind` is what its model makes. */
export interface OutputUrl<Kind extends MediaKind> {
  readonly [standsFor]: { url: Kind };
}

/** The list of the URLs of all outputs of a step. */
export interface OutputUrls<Kind extends MediaKind> {
  readonly [standsFor]: { urls: Kind };
}

/** Fans a step out: one generation for each output of another step. A step fans out over one thing at most. */
export interface EachOutput<Kind extends MediaKind> {
  readonly [standsFor]: { each: Kind };
}

/** The value of a parameter. */
export interface ParamValue<Value> {
  readonly [standsFor]: { value: Value };
}

/** Fans a step out: one generation for each value of a parameter that is a list. */
export interface EachValue<Value> {
  readonly [standsFor]: { eachValue: Value };
}

/** A step that is not named yet: its name may come after what refers to it. */
export interface Named {
  name: string;
}

/** What stands in an input until all steps have their names. */
export class Reference {
  readonly #written: () => Record<string, unknown>;

  constructor(written: () => Record<string, unknown>) {
    this.#written = written;
  }

  /** As it stands in the JSON document. */
  toJSON(): Record<string, unknown> {
    return this.#written();
  }

  /** The compiler takes any object for a part of a template literal: `[object Object] at dawn` would be bought. */
  toString(): never {
    throw new TypeError(
      `${JSON.stringify(this.#written())} cannot stand within a text: what it stands for is known when the pipeline runs. Build texts of \`params\`, or give the whole text as a parameter`,
    );
  }
}

/** The input with each reference as it stands in the JSON document. */
export function written(value: unknown): unknown {
  if (value instanceof Reference) return value.toJSON();
  if (isFileInput(value)) return value;
  if (Array.isArray(value)) return value.map(written);
  if (typeof value !== 'object' || value === null) return value;
  const given = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(given.map(([name, inner]) => [name, written(inner)]));
}
