import { z } from 'zod';
import type { Family } from '../family.ts';
import type { MediaKind } from './media-kind.ts';
import { type Rule, violations } from './rule.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

export interface ModelDefinition<S extends Shape> {
  /** `<kind>-<letter>`, the letter being the API specification's. */
  id: string;
  family: Family;
  title: string;
  /** What the files are that a task makes. The specification names no field that changes it. */
  output: Exclude<MediaKind, 'embedding'>;
  /** A guess at how long one task takes, in seconds: the emulator's default, and a hint for people. */
  typicalSeconds: number;
  /** Price where the API specification states one. */
  cost?: { usdPerOutputSecond: number };
  /** Whether the path needs a `:<version_id>` (one model's does; which one is not shown). */
  versioned?: boolean;
  /**
   * Whether the endpoint takes `multipart/form-data` as well as JSON: the API specification says it of one (`stated`) and
   * that most do, which is taken as a guess for each (`assumed` when absent).
   */
  multipart?: 'stated' | 'assumed' | 'none';
  /** Required fields, then the rest in the API specification's order. */
  fields: S;
  /** Rules between fields: those that the API specification states, and those that it hints at (`assumed`). */
  rules?: readonly Rule<NoInfer<z.input<z.ZodObject<S>>>>[];
  /** Optional fields that an example shows all the same, because without them it would say nothing. */
  exampleFields?: readonly NoInfer<keyof S & string>[];
}

export interface Model<S extends Shape = Shape>
  extends Omit<ModelDefinition<S>, 'rules' | 'exampleFields' | 'multipart'> {
  /** Path below the base URL, e.g. `generation/darkroom/image-l`. Assumed: the real names are not shown. */
  path: string;
  /** Checks the fields one by one: that they are known, and within their limits. */
  each: z.ZodType<z.output<z.ZodObject<S>>, z.input<z.ZodObject<S>>>;
  /** Checks a whole input: known fields, their limits, then the rules between them. */
  input: z.ZodType<z.output<z.ZodObject<S>>, z.input<z.ZodObject<S>>>;
  /** The name of the field that takes the random seed, where the model has one. */
  seedField: 'seed' | undefined;
  multipart: 'stated' | 'assumed' | 'none';
  /** The rules between fields; empty for most models. */
  rules: readonly Rule[];
  exampleFields: readonly string[];
}

/** Makes a model of its data: one strict schema with its conditional rules, and the default path. */
export function defineModel<const S extends Shape>(definition: ModelDefinition<S>): Model<S> {
  // A rule only reads the fields that it names, each as a value of unknown type.
  const rules = (definition.rules ?? []) as unknown as readonly Rule[];
  const each = z.strictObject(definition.fields);
  const input = each.superRefine((value, context) => {
    for (const { path, message } of violations(rules, value)) {
      context.addIssue({ code: 'custom', path: path.split('.'), message });
    }
  });
  return {
    ...definition,
    path: `generation/darkroom/${definition.id}${definition.versioned ? ':1' : ''}`,
    each,
    input,
    seedField: 'seed' in definition.fields ? 'seed' : undefined,
    multipart: definition.multipart ?? 'assumed',
    rules,
    exampleFields: definition.exampleFields ?? [],
  };
}
