import type { Family } from '../family.ts';
import type { Model } from './define-model.ts';
import { contentAt, inputSchema, isAssumed, type JsonSchema } from './json-schema.ts';
import type { MediaKind } from './media-kind.ts';
import { type ModelOverride, rulesInForce, takesForms } from './override.ts';
import { ALL_MODELS } from './registry.ts';

type FieldType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'any';

/** One field as people and other languages see it. Limits are JSON Schema's, inclusive unless named otherwise. */
export interface FieldDescription {
  name: string;
  /** The name that is sent instead of `name`, where `DARKROOM_CONFIG` renames the field. */
  wireName?: string;
  type: FieldType;
  /** What the file is whose URL the field takes, or the files of a list of URLs. */
  kind?: MediaKind;
  /** Whether null is accepted too, meaning the same as leaving the field out. */
  nullable?: true;
  required: boolean;
  /** Whether the API specification shows only the field's meaning and the name is our guess. */
  assumed: boolean;
  description: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  enum?: readonly unknown[];
  minItems?: number;
  maxItems?: number;
  items?: JsonSchema;
  default?: unknown;
}

export interface ModelDescription {
  id: string;
  family: Family;
  title: string;
  path: string;
  output: Model['output'];
  versioned?: true;
  /** Whether the endpoint takes `multipart/form-data`; `assumed`: the specification only says that most do. */
  multipart: boolean | 'assumed';
  /** Seconds; a guess. */
  typicalSeconds: number;
  cost?: { usdPerOutputSecond: number };
  fields: FieldDescription[];
  /** The rules between fields that are in force, in words. */
  rules: string[];
  /** Those of them that the API specification only hints at: `DARKROOM_CONFIG` can relax them. */
  assumedRules: string[];
  /** A valid input with little more than what is required. */
  example: Record<string, unknown>;
  schema: JsonSchema;
}

const LIMITS = [
  'format',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'enum',
  'minItems',
  'maxItems',
  'items',
  'default',
] as const;

/** A model as data, derived from its field schemas, with the path and wire names that an override sets. */
export function describeModel(model: Model, override: ModelOverride = {}): ModelDescription {
  const rules = rulesInForce(model, override);
  const schema = inputSchema(rules === model.rules ? model : { ...model, rules });
  const { id, family, title, output, typicalSeconds, cost } = model;
  return {
    id,
    family,
    title,
    path: override.path ?? model.path,
    output,
    ...(model.versioned === true ? { versioned: true } : {}),
    multipart:
      override.multipart === undefined && model.multipart === 'assumed'
        ? 'assumed'
        : takesForms(model, override),
    typicalSeconds,
    ...(cost === undefined ? {} : { cost }),
    fields: properties(schema).map(([name, property]) => ({
      ...describeField(name, property, schema.required?.includes(name) === true),
      ...kindOf(model, name),
      ...wireName(name, override),
    })),
    rules: rules.map(({ says }) => says),
    assumedRules: rules.flatMap(({ says, assumed }) => (assumed ? says : [])),
    example: exampleInput(model),
    schema: override.passUnknown === true ? { ...schema, additionalProperties: true } : schema,
  };
}

/** All models, in the API specification's order. */
export function describeModels(
  overrides: Readonly<Record<string, ModelOverride | undefined>> = {},
): ModelDescription[] {
  return ALL_MODELS.map((model) => describeModel(model, overrides[model.id]));
}

/** A valid input of the required fields, and of a few more where those alone would say nothing (`exampleFields`). */
export function exampleInput(model: Model): Record<string, unknown> {
  const schema = inputSchema(model);
  const shown = new Set([...(schema.required ?? []), ...model.exampleFields]);
  const chosen = properties(schema).filter(([name]) => shown.has(name));
  return Object.fromEntries(chosen.map(([name, property]) => [name, exampleValue(property)]));
}

/** A value that a field accepts: its own example, its default, its first choice, its lower limit. */
export function exampleValue(property: JsonSchema): unknown {
  const { examples = [], enum: choices = [], items, minimum, maximum } = property;
  const [ready = property.default ?? choices[0]] = examples;
  if (ready !== undefined) return ready;
  switch (typeOf(property)) {
    case 'array':
      return [exampleValue(items ?? {})];
    case 'object':
      return Object.fromEntries(properties(property).map(([name, child]) => [name, exampleValue(child)]));
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return Math.min(Math.max(4, minimum ?? 4), maximum ?? Number.POSITIVE_INFINITY);
    case 'string':
    case 'any':
    default:
      return 'some text';
  }
}

function describeField(name: string, property: JsonSchema, required: boolean): FieldDescription {
  const limits = LIMITS.filter((limit) => property[limit] !== undefined);
  return {
    name,
    type: typeOf(property),
    ...(Array.isArray(property.type) && property.type.includes('null') ? { nullable: true as const } : {}),
    required,
    assumed: isAssumed(property),
    description: property.description ?? '',
    ...Object.fromEntries(limits.map((limit) => [limit, property[limit]])),
  };
}

function kindOf(model: Model, name: string): { kind?: MediaKind } {
  const content = contentAt(model, [name]);
  return typeof content === 'object' ? { kind: content.files } : {};
}

function wireName(name: string, override: ModelOverride): { wireName?: string } {
  const renamed = override.fields?.[name];
  return renamed === undefined || renamed === name ? {} : { wireName: renamed };
}

function typeOf({ type }: JsonSchema): FieldType {
  const only = Array.isArray(type) ? type.find((one) => one !== 'null') : type;
  return only === undefined || only === 'null' ? 'any' : only;
}

function properties(schema: JsonSchema): [string, JsonSchema][] {
  return Object.entries(schema.properties ?? {});
}
