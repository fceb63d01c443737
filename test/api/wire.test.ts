import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeModel } from '../../src/api/models/describe.ts';
import { modelOverrideSchema, modelOverridesSchema } from '../../src/api/models/override.ts';
import { MODELS } from '../../src/api/models/registry.ts';
import { fromWire, toWire, wireFields } from '../../src/api/wire.ts';

const model = MODELS['image-r'];

/** What is wrong with an override of image-r, as `path: message`. */
function problems(override: unknown): string[] {
  const { error } = modelOverrideSchema(model).safeParse(override);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('an override', () => {
  it('may set a path, rename fields, swap names, and pass unknown fields', () => {
    const accepted = [
      {},
      { path: 'generation/acme/pictures/v2' },
      { path: 'generation/acme/swap:9f86d08' },
      { assumedRules: 'apply' },
      { fields: { seed: 'random_seed', n: 'num_results' }, passUnknown: true },
      { fields: { prompt: 'negative_prompt', negative_prompt: 'prompt' } },
      { fields: { seed: 'seed' } },
    ];
    expect(accepted.flatMap(problems)).toEqual([]);
  });

  it('renames only fields that the model has', () => {
    expect(problems({ fields: { sed: 'x' } })).toEqual([
      expect.stringMatching(
        /^fields\.sed: sed is not a field of image-r; did you mean seed\? Fields: prompt, /,
      ),
    ]);
  });

  it('gives no two fields the same name on the wire', () => {
    expect(problems({ fields: { seed: 'prompt' } })).toEqual([
      'fields.seed: must not be prompt: that is what prompt is called on the wire',
    ]);
    expect(problems({ fields: { seed: 'x', n: 'x' } })).toHaveLength(2);
    expect(problems({ fields: { seed: '__proto__' } })).toHaveLength(1);
  });

  it.each([
    '/generation/a/b',
    'generation/a',
    'generation/a/../b',
    'generation/a/..',
    'https://x/generation/a/b',
    'generation/a/b?c',
    'a/b/c',
  ])('refuses the path %s', (path) => {
    expect(problems({ path })).toEqual([expect.stringContaining('must be generation/<provider>/<model>')]);
  });

  it('belongs to a model that exists', () => {
    const settings = { passUnknown: true, assumedRules: 'relax', templateField: 'template' };
    expect(modelOverridesSchema.safeParse({ 'image-r': settings }).success).toBe(true);
    const told = (value: unknown) =>
      modelOverridesSchema.safeParse(value).error?.issues.map(({ message }) => message);
    expect(told({ 'image-1': {} })?.[0]).toContain('did you mean image-l?');
    expect(told({ x: {}, y: {} })?.[0]).toMatch(
      /^x is not a model[.] Models: .+; y is not a model[.] Models: /,
    );
    expect(told('text')).toEqual(['Invalid input: expected object, received string']);
    expect(problems({ fields: { seed: 'random seed' } })).toEqual([
      'fields.seed: must be a field name: a letter, then letters, digits, _ . -',
    ]);
  });
});

describe('toWire and fromWire', () => {
  const override = { path: 'generation/acme/pictures', fields: { seed: 'random_seed', n: 'seed' } };

  it('send renamed fields under their wire names to the overridden path, and add nothing', () => {
    expect(toWire(model, { prompt: 'x', seed: 1, n: 2, resolution: undefined }, override)).toEqual({
      path: 'generation/acme/pictures',
      body: { prompt: 'x', random_seed: 1, seed: 2 },
    });
    expect(toWire(MODELS['upscale-q'], { image_url: 'u' })).toEqual({
      path: 'generation/darkroom/upscale-q',
      body: { image_url: 'u' },
    });
  });

  it('leave out what is undefined, and keep null and what nothing renames', () => {
    expect(toWire(model, { prompt: 'x', seed: undefined, n: null }).body).toEqual({ prompt: 'x', n: null });
    expect(Object.keys(toWire(model, { prompt: 'x', seed: undefined }).body)).toEqual(['prompt']);
    expect(fromWire({ random_seed: 1, seed: 2, prompt: 'x' }, override)).toEqual({
      prompt: 'x',
      seed: 1,
      n: 2,
    });
    expect(fromWire({ prompt: 'x' })).toEqual({ prompt: 'x' });
  });

  it('believe the wire name where the API answers with both', () => {
    const fields = { seed: 'random_seed' };
    for (const body of [
      { random_seed: 1, seed: 2 },
      { seed: 2, random_seed: 1 },
    ]) {
      expect(fromWire(body, { fields })).toEqual({ seed: 1 });
    }
  });

  it('undo each other for every input and renaming', () => {
    const names = Object.keys(model.fields);
    const renaming = fc
      .shuffledSubarray([...names, 'a', 'b', 'c'], { minLength: names.length, maxLength: names.length })
      .map((wireNames) => Object.fromEntries(names.map((name, index) => [name, wireNames[index] ?? name])));
    const input = fc.dictionary(fc.constantFrom(...names), fc.jsonValue());
    fc.assert(
      fc.property(renaming, input, (fields, value) => {
        expect(modelOverrideSchema(model).safeParse({ fields }).success).toBe(true);
        expect(fromWire(toWire(model, value, { fields }).body, { fields })).toEqual(value);
      }),
    );
  });

  it('keep what a normalized input has beyond our fields, __proto__ included, as plain data', () => {
    const body: unknown = JSON.parse(
      '{"random_seed":1,"prompt":"x","extra":{},"__proto__":{"polluted":true}}',
    );
    const input = fromWire(body as Record<string, unknown>, override); // parsed from an object literal
    expect(JSON.stringify(input)).toBe('{"prompt":"x","extra":{},"__proto__":{"polluted":true},"seed":1}');
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
  });

  it('show in the description of the model', () => {
    const description = describeModel(model, { ...override, passUnknown: true });
    expect(description.path).toBe(override.path);
    expect(description.fields.find(({ name }) => name === 'seed')).toMatchObject({
      wireName: 'random_seed',
      assumed: true,
    });
    expect(description.fields.find(({ name }) => name === 'prompt')).not.toHaveProperty('wireName');
    expect(description.schema.additionalProperties).toBe(true);
  });
});

describe('the fields of a model on the wire', () => {
  const fields = Object.keys(model.fields);

  it('are its own, those that are renamed under their wire names', () => {
    expect(wireFields(model)).toEqual({ names: fields, open: false });
    const { names, open } = wireFields(model, { fields: { seed: 'random_seed' }, passUnknown: false });
    expect(names).toEqual(fields.map((name) => (name === 'seed' ? 'random_seed' : name)));
    expect(open).toBe(false);
  });

  it('may come with others where unknown ones pass', () => {
    expect(wireFields(model, { passUnknown: true })).toEqual({ names: fields, open: true });
  });
});
