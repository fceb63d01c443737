import type { JsonSchema } from '../models/json-schema.ts';

/** What a field's schema allows, as an error message says it: "an integer from 3 to 15", "one of 720p, 1080p". */
export function allowedValues(schema: JsonSchema): string {
  const { type, enum: choices } = schema;
  if (choices !== undefined) return `one of ${choices.map(String).join(', ')}`;
  if (Array.isArray(type)) {
    return type.map((one) => allowedValues({ ...schema, type: one })).join(' or ');
  }
  switch (type) {
    case 'string':
      return schema.format === 'uri' ? 'an http(s) URL' : `a string${characters(schema)}`;
    case 'integer':
      return `an integer${range(schema)}`;
    case 'number':
      return `a number${range(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a list${size(schema)}${each(schema)}`;
    case 'object':
      return 'an object';
    case 'null':
      return 'null';
    case undefined:
      return 'any value';
    default:
      return type satisfies never;
  }
}

function characters({ minLength, maxLength }: JsonSchema): string {
  if (minLength !== undefined && maxLength !== undefined)
    return ` of ${minLength} to ${maxLength} characters`;
  if (maxLength !== undefined) return ` of at most ${maxLength} characters`;
  if (minLength === undefined) return '';
  return minLength === 1 ? ' that is not empty' : ` of at least ${minLength} characters`;
}

function range({ minimum, maximum, exclusiveMinimum }: JsonSchema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  if (maximum !== undefined) return ` of at most ${maximum}`;
  return exclusiveMinimum === undefined ? '' : ` greater than ${exclusiveMinimum}`;
}

function size({ minItems, maxItems }: JsonSchema): string {
  if (maxItems === undefined) return minItems === undefined ? '' : ` of at least ${minItems}`;
  return minItems === undefined ? ` of at most ${maxItems}` : ` of ${minItems} to ${maxItems}`;
}

function each({ items }: JsonSchema): string {
  return items === undefined ? '' : `, each ${allowedValues(items)}`;
}
