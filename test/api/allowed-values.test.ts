import { expect, it } from 'vitest';
import { allowedValues } from '../../src/api/input/allowed-values.ts';
import type { JsonSchema } from '../../src/api/models/json-schema.ts';

it.each<[JsonSchema, string]>([
  [{ enum: ['720p', 1080] }, 'one of 720p, 1080'],
  [{ type: 'string' }, 'a string'],
  [{ type: 'string', format: 'uri' }, 'an http(s) URL'],
  [{ type: 'string', minLength: 1 }, 'a string that is not empty'],
  [{ type: 'string', minLength: 2 }, 'a string of at least 2 characters'],
  [{ type: 'string', maxLength: 9 }, 'a string of at most 9 characters'],
  [{ type: 'string', minLength: 1, maxLength: 9 }, 'a string of 1 to 9 characters'],
  [{ type: 'integer' }, 'an integer'],
  [{ type: 'integer', minimum: 3, maximum: 15 }, 'an integer from 3 to 15'],
  [{ type: 'number', minimum: 0 }, 'a number of at least 0'],
  [{ type: 'number', maximum: 1 }, 'a number of at most 1'],
  [{ type: 'number', exclusiveMinimum: 0 }, 'a number greater than 0'],
  [{ type: 'number' }, 'a number'],
  [{ type: 'boolean' }, 'true or false'],
  [{ type: 'null' }, 'null'],
  [{ type: 'object' }, 'an object'],
  [{}, 'any value'],
  [{ type: ['integer', 'null'], minimum: 0 }, 'an integer of at least 0 or null'],
  [{ type: 'array' }, 'a list'],
  [{ type: 'array', minItems: 1 }, 'a list of at least 1'],
  [{ type: 'array', maxItems: 4 }, 'a list of at most 4'],
  [{ type: 'array', minItems: 1, maxItems: 4, items: { type: 'string' } }, 'a list of 1 to 4, each a string'],
])('the schema %j allows %s', (schema, words) => {
  expect(allowedValues(schema)).toBe(words);
});
