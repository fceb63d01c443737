import { z } from 'zod';
import { closest } from '../text/closest.ts';
import { shownName } from '../text/shown.ts';
import type { Model } from './define-model.ts';
import { ALL_MODELS, MODEL_IDS } from './registry.ts';
import type { Rule } from './rule.ts';

/** What `DARKROOM_CONFIG` may say about one model, because the API specification does not show it. */
export interface ModelOverride {
  /** Path below the base URL instead of the assumed one: `generation/<provider>/<model>`. */
  readonly path?: string | undefined;
  /** Our field name → the name on the wire. Code and pipelines keep writing ours. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
  /** Sends fields that we do not know instead of refusing them. */
  readonly passUnknown?: boolean | undefined;
  /** `relax`: what only an assumed rule between fields forbids is sent. `apply` when absent. */
  readonly assumedRules?: 'apply' | 'relax' | undefined;
  /** The name on the wire of the field that names a template. */
  readonly templateField?: string | undefined;
  /** Whether the endpoint takes `multipart/form-data`, in which files are sent that have no public URL. */
  readonly multipart?: boolean | undefined;
}

/** Overrides by model id. */
export type ModelOverrides = Readonly<Record<string, ModelOverride | undefined>>;

/** `generation`, one segment for the provider, one or more for the model, perhaps a `:<version_id>`. */
const PATH = /^generation(?:\/(?!\.{1,2}(?:\/|$))[\w.~@-]+){2,}(?::[\w.-]+)?$/;
const WIRE_NAME = /^[A-Za-z][\w.-]{0,99}$/;

const NOT_A_NAME = 'must be a field name: a letter, then letters, digits, _ . -';

/** Checks the name of the field that names a template, for whichever model. */
export const templateFieldSchema: z.ZodType<string> = z
  .string()
  .regex(WIRE_NAME, NOT_A_NAME)
  .refine((name) => ALL_MODELS.every(({ fields }) => !Object.hasOwn(fields, name)), {
    error: "must not be the name of a model's field",
  });

/**
 * Checks one model's override: a renamed field must be one of the model's, and no two fields may end up with the
 * same name on the wire.
 */
export function modelOverrideSchema(model: Model): z.ZodType<ModelOverride> {
  const names = Object.keys(model.fields);
  const fields = z
    .record(z.string(), z.string().regex(WIRE_NAME, NOT_A_NAME))
    .superRefine((renames, context) => {
      for (const [name, wireName] of Object.entries(renames)) {
        const message = names.includes(name)
          ? collision(names, renames, name, wireName)
          : `${shownName(name)} ${notAField(model, name, names)}`;
        if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
      }
    });
  return z.strictObject({
    path: z
      .string()
      .regex(PATH, `must be generation/<provider>/<model> without a leading slash, like ${model.path}`)
      .optional(),
    fields: fields.optional(),
    passUnknown: z.boolean().optional(),
    assumedRules: z.enum(['apply', 'relax']).optional(),
    templateField: templateFieldSchema.optional(),
    multipart: z.boolean().optional(),
  });
}

/** The rules between a model's fields that an input has to keep. */
export function rulesInForce(model: Model, override: ModelOverride): readonly Rule[] {
  return override.assumedRules === 'relax' ? model.rules.filter(({ assumed }) => !assumed) : model.rules;
}

/** Whether a model's endpoint takes `multipart/form-data`. */
export function takesForms(model: Model, override: ModelOverride): boolean {
  return override.multipart ?? model.multipart !== 'none';
}

/** Checks `DARKROOM_CONFIG`'s overrides of all models, by id. */
export const modelOverridesSchema: z.ZodType<ModelOverrides> = z.strictObject(
  Object.fromEntries(ALL_MODELS.map((model) => [model.id, modelOverrideSchema(model).optional()])),
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? issue.keys?.map((key) => notAModel(key)).join('; ') : undefined,
  },
);

/** "image-1 is not a model; did you mean image-l? Models: …" */
export function notAModel(id: string): string {
  return `${shownName(id)} is not a model${suggestion(id, MODEL_IDS)} Models: ${MODEL_IDS.join(', ')}`;
}

/** "is not a field of image-r; did you mean seed? Fields: …", to follow its name */
export function notAField(model: Model, name: string, names: readonly string[]): string {
  return `is not a field of ${model.id}${suggestion(name, names)} Fields: ${names.join(', ')}`;
}

function suggestion(word: string, candidates: readonly string[]): string {
  const match = closest(word, candidates);
  return match === undefined ? '.' : `; did you mean ${match}?`;
}

function collision(
  names: readonly string[],
  renames: Readonly<Record<string, string>>,
  name: string,
  wireName: string,
): string | undefined {
  const other = names.find((one) => one !== name && (ownValue(renames, one) ?? one) === wireName);
  return other === undefined
    ? undefined
    : `must not be ${wireName}: that is what ${other} is called on the wire`;
}

function ownValue(renames: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(renames, name) ? renames[name] : undefined;
}
