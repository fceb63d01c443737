import { describe, expect, expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type { ModelInputs } from '../../src/api/models/model-types.ts';
import { MODEL_IDS, MODELS, type ModelId } from '../../src/api/models/registry.ts';
import { modelTypes } from '../../src/schemas/model-types.ts';

/** The inputs as the schemas that check them have it. */
type CheckedInputs = { [Id in ModelId]: z.input<(typeof MODELS)[Id]['input']> };

describe("the models' inputs as types", () => {
  it('take what the schemas take, and nothing else', () => {
    expectTypeOf<ModelInputs>().toExtend<CheckedInputs>();
    expectTypeOf<CheckedInputs>().toExtend<ModelInputs>();
    expectTypeOf<keyof ModelInputs>().toEqualTypeOf<ModelId>();
  });

  it('describe every field of every model with its limits', () => {
    const source = modelTypes();
    for (const id of MODEL_IDS) {
      expect(source).toContain(`'${id}': `);
      for (const name of Object.keys(MODELS[id].fields))
        expect(source).toMatch(new RegExp(`^  ${name}\\??:`, 'm'));
    }
    expect(source).toContain('(1 to 5000 characters)');
  });
});
