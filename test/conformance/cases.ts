import type { Model } from '../../src/api/models/define-model.ts';
import { exampleInput, exampleValue } from '../../src/api/models/describe.ts';
import { inputSchema, type JsonCondition, type JsonSchema } from '../../src/api/models/json-schema.ts';
import { justOutside, maximum, within } from './field-values.ts';

/** One input of a model, whether it must be accepted, and for a refused one the path that must be blamed. */
export interface Case {
  name: string;
  input: Record<string, unknown>;
  valid: boolean;
  path?: string;
}

type Input = Record<string, unknown>;

/**
 * Inputs on both sides of every limit of a model, made from its JSON Schema alone: minimal, maximal (one for each
 * side of each rule between fields), each field at its limits, each field just outside of them, each rule broken.
 * `url` replaces the example URLs, so that a service can be given ones that it can fetch.
 */
export function casesFor(model: Model, url: (example: string) => string = (example) => example): Case[] {
  const schema = inputSchema(model);
  const minimal = pick(exampleOf(schema), schema.required ?? []);
  const cases: Case[] = [
    { name: 'minimal', input: minimal, valid: true },
    { name: 'example', input: exampleInput(model), valid: true },
    ...maximalInputs(schema),
    ...fieldsWithin(schema, minimal),
    ...fieldsOutside(schema, minimal),
    ...brokenRules(schema, minimal),
    {
      name: 'an unknown field',
      input: { ...minimal, no_such_field: 1 },
      valid: false,
      path: 'input.no_such_field',
    },
    ...(schema.required ?? []).map((name) => ({
      name: `without ${name}`,
      input: pick(
        minimal,
        Object.keys(minimal).filter((other) => other !== name),
      ),
      valid: false,
      path: `input.${name}`,
    })),
  ];
  return cases.map((one) => ({ ...one, input: withUrls(one.input, url) as Input })); // an object stays one
}

/** Every field at its upper end, once for each way in which a rule applies or rests. */
function maximalInputs(schema: JsonSchema): Case[] {
  const largest = Object.fromEntries(fields(schema).map(([name, field]) => [name, maximum(field)]));
  const sides = conditions(schema).flatMap((condition) => [
    ...(condition.if.properties === undefined ? [] : triggers(condition, schema)),
    ...opposites(condition, schema),
  ]);
  const cases = [{}, ...sides].map((side) => ({
    name: ['maximal', ...Object.entries(side).map(([name, value]) => `${name} ${String(value)}`)].join(', '),
    input: settle({ ...largest, ...side }, schema),
    valid: true,
  }));
  return cases.filter(({ name }, position) => cases.findIndex((other) => other.name === name) === position);
}

function fieldsWithin(schema: JsonSchema, minimal: Input): Case[] {
  return fields(schema).flatMap(([name, field]) =>
    within(field).map(({ what, value }) => ({
      name: `${name} ${what}`,
      input: settle({ ...minimal, [name]: value }, schema),
      valid: true,
    })),
  );
}

function fieldsOutside(schema: JsonSchema, minimal: Input): Case[] {
  return fields(schema).flatMap(([name, field]) =>
    justOutside(field).map(({ what, value, below = '' }) => ({
      name: `${name} ${what}`,
      input: { ...minimal, [name]: value },
      valid: false,
      path: `input.${name}${below}`,
    })),
  );
}

function brokenRules(schema: JsonSchema, minimal: Input): Case[] {
  return conditions(schema).flatMap((condition) =>
    triggers(condition, schema).flatMap((trigger) =>
      Object.entries(condition.then.properties).flatMap(([name, allowed]) =>
        forbiddenValues(allowed, schema.properties?.[name] ?? {}).map((value) => ({
          name: `${JSON.stringify(trigger)} with ${name} ${JSON.stringify(value)}`,
          input: { ...minimal, ...trigger, [name]: value },
          valid: false,
          path: `input.${name}`,
        })),
      ),
    ),
  );
}

/** The assignments that make a condition hold: one for each value that it names. */
function triggers(condition: JsonCondition, schema: JsonSchema): Input[] {
  return condition.if.required.reduce<Input[]>(
    (inputs, name) => {
      const values = condition.if.properties?.[name]?.enum ?? [exampleValue(schema.properties?.[name] ?? {})];
      return inputs.flatMap((input) => values.map((value) => ({ ...input, [name]: value })));
    },
    [{}],
  );
}

/** The assignments that keep a condition from holding; undefined leaves a field out. */
function opposites(condition: JsonCondition, schema: JsonSchema): Input[] {
  return condition.if.required.flatMap((name) => {
    const named = condition.if.properties?.[name]?.enum;
    if (named === undefined) return [{ [name]: undefined }];
    const field = schema.properties?.[name];
    const values = field?.type === 'boolean' ? [true, false] : (field?.enum ?? []);
    return values.filter((value) => !named.includes(value)).map((value) => ({ [name]: value }));
  });
}

/** Values that the field itself allows and the rule does not. */
function forbiddenValues(allowed: JsonSchema | boolean, field: JsonSchema): unknown[] {
  if (allowed === true) return [];
  if (allowed === false) return [exampleValue(field)];
  const item = exampleValue(field.items ?? {});
  if (allowed.maxItems !== undefined || allowed.minItems !== undefined) {
    const lengths = [(allowed.minItems ?? 0) - 1, (allowed.maxItems ?? Number.NaN) + 1];
    return lengths.filter((length) => length >= 0).map((length) => Array<unknown>(length).fill(item));
  }
  if (allowed.maximum !== undefined) return [allowed.maximum + 1];
  return [maximum(field), exampleValue(field), 10].filter((value) => allowed.enum?.includes(value) === false);
}

/** Makes an input obey the rules: first leaves out what may not be there, then pulls the rest within its limits. */
function settle(input: Input, schema: JsonSchema): Input {
  const settled = pick(
    input,
    Object.keys(input).filter((name) => input[name] !== undefined),
  );
  const holding = () => conditions(schema).filter((condition) => holds(condition, settled));
  const banned = () =>
    holding()
      .flatMap((condition) => Object.entries(condition.then.properties))
      .find(([name, allowed]) => allowed === false && name in settled);
  for (let found = banned(); found !== undefined; found = banned()) delete settled[found[0]];
  for (const condition of holding()) {
    for (const [name, allowed] of Object.entries(condition.then.properties)) {
      if (name in settled && typeof allowed === 'object') settled[name] = pulled(settled[name], allowed);
    }
  }
  return settled;
}

function pulled(value: unknown, allowed: JsonSchema): unknown {
  if (allowed.enum !== undefined) return allowed.enum.includes(value) ? value : allowed.enum.at(-1);
  if (Array.isArray(value)) return value.slice(0, allowed.maxItems);
  return typeof value === 'number' ? Math.min(value, allowed.maximum ?? value) : value;
}

function holds(condition: JsonCondition, input: Input): boolean {
  return condition.if.required.every((name) => {
    const named = condition.if.properties?.[name]?.enum;
    return name in input && (named === undefined || named.includes(input[name]));
  });
}

function conditions(schema: JsonSchema): JsonCondition[] {
  return schema.allOf ?? [];
}

function fields(schema: JsonSchema): [string, JsonSchema][] {
  return Object.entries(schema.properties ?? {});
}

function exampleOf(schema: JsonSchema): Input {
  return Object.fromEntries(fields(schema).map(([name, field]) => [name, exampleValue(field)]));
}

function pick(input: Input, names: readonly string[]): Input {
  return Object.fromEntries(names.map((name) => [name, input[name]]));
}

function withUrls(value: unknown, url: (example: string) => string): unknown {
  if (typeof value === 'string') return value.startsWith('https://example.com/') ? url(value) : value;
  if (Array.isArray(value)) return value.map((one) => withUrls(one, url));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withUrls(one, url)]));
}
