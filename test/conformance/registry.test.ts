import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { allowedValues } from '../../src/api/input/allowed-values.ts';
import { validateInput } from '../../src/api/input/validate-input.ts';
import { describeModel, describeModels, exampleInput } from '../../src/api/models/describe.ts';
import { MODEL_IDS, MODELS } from '../../src/api/models/registry.ts';
import { casesFor } from './cases.ts';
import { SPECIFICATION_FIELDS } from './specification-fields.ts';

const ajv = new Ajv2020({
  strict: true,
  strictRequired: false,
  formats: { uri: (value) => URL.canParse(value) },
});

describe('the model registry', () => {
  it('holds the nineteen models of the API specification, each under its own id and path', () => {
    const models = Object.values(MODELS);
    expect(models.map(({ id }) => id)).toEqual(MODEL_IDS);
    expect(MODEL_IDS.map((id) => id.at(-1)).join('')).toBe('abcdefghijklmnopqrs');
    expect(
      models.filter(({ path, id }) => path !== `generation/darkroom/${id}`).map(({ path }) => path),
    ).toEqual(['generation/darkroom/face-swap-c:1']);
  });

  it('puts every model in the family that gives its error codes their prefix', () => {
    const families = Map.groupBy(Object.values(MODELS), ({ family }) => family);
    const letters = [...families].map(([family, models]) => [
      family,
      models.map(({ id }) => id.at(-1)).join(''),
    ]);
    expect(Object.fromEntries(letters)).toEqual({ speech: 'ab', image: 'clmnopqrs', video: 'defghijk' });
  });

  it('knows prices, outputs and seeds where the API specification does', () => {
    const descriptions = describeModels();
    const priced = descriptions.filter(({ cost }) => cost !== undefined);
    expect(priced.map(({ id, cost }) => [id, cost])).toEqual([
      ['video-f', { usdPerOutputSecond: 0.05 }],
      ['video-g', { usdPerOutputSecond: 0.05 }],
    ]);
    expect(descriptions.filter(({ output }) => output === 'audio').map(({ id }) => id)).toEqual([
      'speech-a',
      'speech-b',
    ]);
    const seeded = Object.values(MODELS).filter(({ seedField }) => seedField !== undefined);
    expect(seeded.map(({ id }) => id.at(-1)).join('')).toBe('dfijkrs');
    expect(new Set(seeded.map(({ seedField }) => seedField))).toEqual(new Set(['seed']));
    const examples = Object.values(MODELS).filter(({ exampleFields }) => exampleFields.length > 0);
    expect(examples.map(({ id }) => id)).toEqual(['video-d']);
  });

  it.each(describeModels().map(({ id, schema }) => [id, schema] as const))(
    'has the schema of %s on disk as it is',
    (id, schema) => {
      const written = readFileSync(new URL(`../../docs/schemas/${id}.json`, import.meta.url), 'utf8');
      expect(written).toBe(`${JSON.stringify(schema, undefined, 2)}\n`);
    },
  );
});

describe.each(Object.values(MODELS).map((model) => [model.id, model] as const))('%s', (_id, model) => {
  const validate = ajv.compile(describeModel(model).schema);

  it('has the fields and limits of the API specification', () => {
    const { fields, schema } = describeModel(model);
    const found = fields.map(({ name, required, assumed, ...field }) => {
      const mark = required ? '!' : assumed ? '?' : '';
      const preset = field.default === undefined ? '' : `=${JSON.stringify(field.default)}`;
      return `${name}${mark}${preset} ${allowedValues(schema.properties?.[name] ?? {})}`;
    });
    expect(found).toEqual(SPECIFICATION_FIELDS[model.id as keyof typeof SPECIFICATION_FIELDS]);
  });

  it('describes every field', () => {
    expect(describeModel(model).fields.filter(({ description }) => description === '')).toEqual([]);
    expect(validateInput(model.id, exampleInput(model))).toEqual([]);
  });

  it('accepts its minimal and maximal inputs, each field at its limits, and nothing just outside of them', () => {
    const cases = casesFor(model);
    expect(cases.length).toBeGreaterThan(10);
    const wrong = cases.flatMap(({ name, input, valid, path }) => {
      const errors = validateInput(model.id, input);
      const bySchema = validate(input);
      const byZod = model.input.safeParse(input).success;
      const asExpected = valid ? errors.length === 0 : errors.some((error) => error.path === path);
      return asExpected && bySchema === valid && byZod === valid
        ? []
        : [{ name, input, path, errors, bySchema, byZod }];
    });
    expect(wrong).toEqual([]);
  });
});
