import { z } from 'zod';
import type { Model } from './define-model.ts';
import type { MediaKind } from './media-kind.ts';
import { type Allowance, isList, type Rule } from './rule.ts';

type TypeName = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null';

/** JSON Schema, draft 2020-12: the keywords that our fields use. */
export interface JsonSchema {
  $schema?: string;
  $comment?: string;
  title?: string;
  description?: string;
  type?: TypeName | TypeName[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  default?: unknown;
  examples?: unknown[];
  allOf?: JsonCondition[];
}

/** A rule between fields; `false` says that a field must be left out. */
export interface JsonCondition {
  $comment: string;
  if: { properties?: Record<string, JsonSchema>; required: string[] };
  then: { properties: Record<string, JsonSchema | boolean> };
}

const ASSUMED = 'The name of this field is assumed: the API specification describes it only by its meaning.';

const cache = new WeakMap<Model, JsonSchema>();
const generatedOf = new WeakMap<Model, Generated>();

/**
 * The JSON Schema of a model's input, complete: every field with its limits, no further fields, and the rules
 * between fields as `if`/`then` where JSON Schema can say them, in the description in any case.
 */
export function inputSchema(model: Model): JsonSchema {
  const known = cache.get(model);
  if (known !== undefined) return known;
  const { properties = {}, required = [], ...rest } = generated(model);
  const conditions = model.rules.flatMap((rule) => conditionSchema(rule) ?? []);
  const schema: JsonSchema = {
    ...rest,
    title: model.id,
    description: `Input of ${model.id}: ${model.title}.${rulesInWords(model)}`,
    properties: propertySchemas(properties),
    required,
    ...(conditions.length === 0 ? {} : { allOf: conditions }),
  };
  cache.set(model, schema);
  return schema;
}

/** Whether a property of `inputSchema` has a name that we assumed. */
export function isAssumed(property: JsonSchema): boolean {
  return property.$comment === ASSUMED;
}

/** The schema of what a path of field names and list positions leads to, where there is one. */
export function schemaAt(schema: JsonSchema, path: readonly PropertyKey[]): JsonSchema | undefined {
  return path.reduce<JsonSchema | undefined>(
    (found, key) => (typeof key === 'number' ? found?.items : found?.properties?.[String(key)]),
    schema,
  );
}

/** What a field holds, as far as references between steps care: files of a kind, text, or something else. */
export type FieldContent = { files: MediaKind; many: boolean } | 'text' | 'other';

/**
 * What the field at a path of names and list positions holds; undefined where the model says nothing about it. What
 * holds a list of files holds files.
 */
export function contentAt(model: Model, path: readonly string[]): FieldContent | undefined {
  const field = path.reduce<ZodPropertySchema | undefined>(
    (found, key) => (found?.items !== undefined ? found.items : ownProperty(found, key)),
    generated(model),
  );
  if (field === undefined) return undefined;
  const { kind, items, type, enum: choices } = field;
  if (kind !== undefined) return { files: kind, many: false };
  if (items?.kind !== undefined) return { files: items.kind, many: true };
  if (type === undefined) return undefined;
  return type === 'string' && choices === undefined ? 'text' : 'other';
}

function ownProperty({ properties = {} }: ZodObjectSchema = {}, key: string): ZodPropertySchema | undefined {
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** zod types its output as any JSON Schema; the vocabulary of fields.ts keeps it to these keywords. */
interface ZodObjectSchema {
  properties?: Record<string, ZodPropertySchema>;
  required?: string[];
}
type Generated = Record<string, unknown> & ZodObjectSchema;
interface ZodPropertySchema extends Omit<JsonSchema, 'items' | 'properties'>, ZodObjectSchema {
  assumed?: boolean;
  kind?: MediaKind;
  anyOf?: JsonSchema[];
  items?: ZodPropertySchema;
}

function generated(model: Model): Generated {
  const known = generatedOf.get(model);
  if (known !== undefined) return known;
  const schema = z.toJSONSchema(z.strictObject(model.fields), { io: 'input' }) as Generated; // see ZodObjectSchema
  generatedOf.set(model, schema);
  return schema;
}

/**
 * zod's own output, with our mark for assumed names as a standard keyword, and null as a second type. Kinds are left
 * out: JSON Schema has no keyword for what is behind a URL, and strict validators refuse words that they do not know.
 */
function propertySchema(zod: ZodPropertySchema): JsonSchema {
  const { assumed, kind: _, anyOf = [], ...property } = zod;
  const { items, properties } = property;
  const type = anyOf.flatMap((alternative) => alternative.type ?? []);
  return {
    ...Object.assign({}, ...anyOf),
    ...(type.length > 0 ? { type } : {}),
    ...property,
    ...(items === undefined ? {} : { items: propertySchema(items) }),
    ...(properties === undefined ? {} : { properties: propertySchemas(properties) }),
    ...(assumed === true ? { $comment: ASSUMED } : {}),
  };
}

function propertySchemas(
  properties: Readonly<Record<string, ZodPropertySchema>>,
): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, propertySchema(one)]));
}

function rulesInWords({ rules }: Model): string {
  return rules.length === 0 ? '' : ` Rules: ${rules.map(inWords).join('; ')}.`;
}

/** "audio_setting is for edit-video (assumed)" */
export function inWords({ says, assumed }: Rule): string {
  return assumed ? `${says} (assumed)` : says;
}

/** A rule as `if`/`then`, or undefined where only words can say it. */
function conditionSchema(rule: Rule): JsonCondition | undefined {
  if ('check' in rule) return undefined;
  const properties: Record<string, JsonSchema> = {};
  for (const [field, condition] of Object.entries(rule.when)) {
    if (condition !== undefined && condition !== 'given') properties[field] = { enum: [...condition] };
  }
  const allowed = Object.entries(rule.allow).map(([field, allowance]) => [field, allowanceSchema(allowance)]);
  return {
    $comment: inWords(rule),
    if: {
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      required: Object.keys(rule.when),
    },
    // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema; nobody awaits a schema
    then: { properties: Object.fromEntries(allowed) },
  };
}

function allowanceSchema(allowance: Allowance<unknown> | undefined): JsonSchema | boolean {
  if (allowance === undefined || allowance === 'absent') return allowance === undefined;
  if (isList(allowance)) return { enum: [...allowance] };
  return { type: 'maximum' in allowance ? 'number' : 'array', ...allowance };
}
