import { describe, expectTypeOf, it } from 'vitest';
import type { ModelInputs } from '../../../src/api/models/model-types.ts';
import type { ModelId, ModelInput } from '../../../src/api/models/registry.ts';

/** Checked by the compiler (`npm run typecheck`): each marked line must be an error, or the mark itself is one. */
describe('ModelInput', () => {
  it('makes a wrong field, value or type of a model a compile error', () => {
    const inputs: ModelInput<'image-l'>[] = [
      { prompt: 'x' },
      {
        prompt: 'x',
        aspect_ratio: 'match_input_image',
        resolution: '4K',
        image_urls: ['https://a.example'],
        n: 4,
      },
      // @ts-expect-error a missing required field
      {},
      // @ts-expect-error a field that the model does not have
      { prompt: 'x', aspectRatio: '1:1' },
      // @ts-expect-error a choice that the model does not have
      { prompt: 'x', aspect_ratio: '21:9' },
      // @ts-expect-error a text where a number belongs
      { prompt: 'x', n: '2' },
      // @ts-expect-error one URL where a list belongs
      { prompt: 'x', image_urls: 'https://a.example' },
    ];
    expectTypeOf(inputs).items.toEqualTypeOf<ModelInput<'image-l'>>();
  });

  it('knows each model on its own', () => {
    expectTypeOf<ModelInput<'video-f'>>().toHaveProperty('first_frame_url').toEqualTypeOf<string>();
    expectTypeOf<ModelInput<'video-g'>>()
      .toHaveProperty('first_frame_url')
      .toEqualTypeOf<string | undefined>();
    expectTypeOf<ModelInput<'upscale-q'>>()
      .toHaveProperty('upscale_factor')
      .toEqualTypeOf<number | undefined>();
    expectTypeOf<ModelInput<'video-i'>>().toHaveProperty('seed').toEqualTypeOf<number | null | undefined>();
    expectTypeOf<ModelInput<'video-d'>>()
      .toHaveProperty('audio_setting')
      .toEqualTypeOf<'auto' | 'origin' | undefined>();
    expectTypeOf<'image-t'>().not.toExtend<ModelId>();
  });

  it('is what the written types say, model by model', () => {
    expectTypeOf<{ [Id in ModelId]: ModelInput<Id> }>().toExtend<ModelInputs>();
    expectTypeOf<ModelInputs>().toExtend<{ [Id in ModelId]: ModelInput<Id> }>();
  });
});
