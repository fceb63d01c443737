import { contentAt, type FieldContent, inputSchema, type JsonSchema } from '../api/models/json-schema.ts';
import { MODELS, type ModelId } from '../api/models/registry.ts';
import { STEP_NAME } from '../contract/limits.ts';

type Schema = Readonly<Record<string, unknown>>;

const step = { type: 'string', pattern: STEP_NAME.source };
const oneOf = (...names: string[]): Schema[] => names.map((name) => ({ $ref: `#/$defs/${name}` }));

/** What may stand in a step's input in the place of a value: the `$defs` that `stepInputSchema` refers to. */
export const REFERENCES: Readonly<Record<string, Schema>> = {
  from: {
    ...reference({ $from: step, output: { type: 'integer', minimum: 0, maximum: 10_000 } }, ['$from']),
    description: 'the URL of one output of a step; the first one without "output"',
  },
  all: {
    ...reference({ $all: step }, ['$all']),
    description: 'the list of the URLs of all outputs of a step',
  },
  each: {
    ...reference({ $each: step }, ['$each']),
    description: 'one generation for each output of a step',
  },
  param: {
    ...reference({ $param: step }, ['$param']),
    description: "the parameter's value",
  },
  eachParam: {
    ...reference({ $each: { $ref: '#/$defs/param' } }, ['$each']),
    description: 'one generation for each value of a parameter that is a list',
  },
};

/**
 * The input of a step of that model, for editors: its fields, each of which may be a reference instead, none of them required:
 * a template may complete it. Rules between fields are left to the worker's own check, because a reference may stand for what decides.
 */
export function stepInputSchema(id: ModelId): Schema {
  const model = MODELS[id];
  const { title, description, properties = {} } = inputSchema(model);
  const fields = Object.entries(properties).map(([name, schema]) => [
    name,
    orReference(schema, contentAt(model, [name])),
  ]);
  return {
    title,
    description,
    type: 'object',
    properties: Object.fromEntries(fields),
    additionalProperties: false,
  };
}

function orReference(schema: JsonSchema, content: FieldContent | undefined): Schema {
  const { description, ...value } = schema;
  const told = description === undefined ? {} : { description };
  if (typeof content !== 'object') return { ...told, anyOf: [value, ...oneOf('param', 'eachParam')] };
  if (!content.many) return { ...told, anyOf: [value, ...oneOf('from', 'each', 'param', 'eachParam')] };
  const items = { anyOf: [value.items ?? {}, ...oneOf('from', 'each', 'param', 'eachParam')] };
  return { ...told, anyOf: [{ ...value, items }, ...oneOf('all', 'param', 'eachParam')] };
}

function reference(properties: Schema, required: string[]): Schema {
  return { type: 'object', properties, required, additionalProperties: false };
}
