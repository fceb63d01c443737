import { describe, expectTypeOf, it } from 'vitest';
import { definePipeline, type PipelineRequest } from '../../src/pipeline/index.ts';

/**
 * Checked by the compiler (`npm run typecheck`): each marked line must be an error, or the mark itself is one. None of
 * it runs.
 */
describe('definePipeline refuses wrong programs before they run', () => {
  it('about models, fields and values', () => {
    const program = () =>
      definePipeline(({ step }) => {
        // @ts-expect-error a model that does not exist
        step('image-t', { prompt: 'x' });
        // @ts-expect-error a required field is missing
        step('image-l', {});
        // @ts-expect-error another required field is missing
        step('video-f', { prompt: 'x' });
        // @ts-expect-error a field of another spelling
        step('image-l', { prompt: 'x', aspectRatio: '1:1' });
        // @ts-expect-error a field of another model
        step('image-l', { prompt: 'x', negative_prompt: 'y' });
        // @ts-expect-error a choice that the model does not have
        step('image-l', { prompt: 'x', aspect_ratio: '21:9' });
        // @ts-expect-error a text where a number belongs
        step('image-l', { prompt: 'x', n: '2' });
        // @ts-expect-error one URL where a list belongs
        step('image-l', { prompt: 'x', image_urls: 'https://files.example/a.png' });
        // @ts-expect-error a list where one URL belongs
        step('upscale-q', { image_url: ['https://files.example/a.png'] });
        // @ts-expect-error an option that steps do not have
        step('image-l', { prompt: 'x' }, { approved: true });
        // @ts-expect-error a field that the model does not have, from a template as well
        step('image-l', { negative_prompt: 'y' }, { templateId: 'tpl_poster' });
        // @ts-expect-error nothing that is sure to complete the input
        step('image-l', {}, { templateId: undefined });
        // @ts-expect-error a word that onFailure does not know
        step('image-l', { prompt: 'x' }, { onFailure: 'wait' });
      });
    expectTypeOf(program).returns.toExtend<PipelineRequest>();
  });

  it('about what steps make of each other', () => {
    const program = () =>
      definePipeline(({ step }) => {
        const still = step('image-l', { prompt: 'x', n: 2 });
        const clip = step('video-f', { prompt: 'x', first_frame_url: still.output });
        const voice = step('speech-b', { text: 'x' });
        // @ts-expect-error a video where an image belongs
        step('upscale-q', { image_url: clip.output });
        // @ts-expect-error an image's URL as a prompt
        step('image-l', { prompt: still.output });
        // @ts-expect-error sound and picture swapped: the picture
        step('lip-sync-h', { video_url: voice.output, audio_url: voice.output });
        // @ts-expect-error sound and picture swapped: the sound
        step('lip-sync-h', { video_url: clip.output, audio_url: clip.output });
        // @ts-expect-error a step that is not there
        step('upscale-q', { image_url: stil.output });
        // @ts-expect-error the step itself in the place of its output
        step('upscale-q', { image_url: still });
        // @ts-expect-error all outputs where one belongs
        step('upscale-q', { image_url: still.all });
        // @ts-expect-error one output where a list belongs
        step('image-m', { prompt: 'x', image_urls: still.output });
        // @ts-expect-error all outputs of the wrong kind
        step('image-m', { prompt: 'x', image_urls: clip.all });
        // @ts-expect-error a fan-out over the wrong kind
        step('upscale-q', { image_url: voice.each });
        // @ts-expect-error an output by a word
        still.outputAt('second');
        // @ts-expect-error something that steps do not have
        void still.url;
        // @ts-expect-error a file in the place of a number
        step('image-l', { prompt: 'x', n: still.output });
      });
    expectTypeOf(program).returns.toExtend<PipelineRequest>();
  });

  it('about parameters', () => {
    const program = () =>
      definePipeline(
        ({ step, input, params, each }) => {
          // @ts-expect-error a parameter that is not there
          step('image-l', { prompt: input.scenery });
          // @ts-expect-error a number in the place of a text
          step('image-l', { prompt: input.count });
          // @ts-expect-error a text in the place of a number
          step('image-l', { prompt: 'x', n: input.scene });
          // @ts-expect-error a list where one value belongs
          step('image-l', { prompt: input.scenes });
          // @ts-expect-error a fan-out over what is no list
          step('image-l', { prompt: each(input.scene) });
          // @ts-expect-error a fan-out over values of the wrong type
          step('image-l', { prompt: 'x', n: each(input.scenes) });
          // @ts-expect-error a list of numbers where a list of texts belongs
          step('image-l', { prompt: 'x', image_urls: input.numbers });
          step('image-l', { prompt: 'x', image_urls: input.scenes });
          // @ts-expect-error a column has no value while the pipeline is defined
          void params.city;
          // @ts-expect-error a choice that the model does not have, by a parameter
          step('image-l', { prompt: 'x', aspect_ratio: input.wide });
        },
        {
          params: {
            scene: 'a lighthouse',
            scenes: ['a lighthouse', 'a pier'],
            count: 2,
            numbers: [1, 2],
            wide: '21:9',
          },
          columns: ['city'],
        },
      );
    const others = () => [
      // @ts-expect-error no parameters at all
      definePipeline(({ step, input }) => ({ still: step('image-l', { prompt: input.scene }) })),
      // @ts-expect-error something else than steps is returned
      definePipeline(({ step }) => ({ still: step('image-l', { prompt: 'x' }).output })),
      // @ts-expect-error an option that pipelines do not have
      definePipeline(({ step }) => ({ still: step('image-l', { prompt: 'x' }) }), { bugdet: { credits: 5 } }),
      // @ts-expect-error a budget without credits
      definePipeline(({ step }) => ({ still: step('image-l', { prompt: 'x' }) }), { budget: 5 }),
    ];
    expectTypeOf(others).returns.items.toExtend<PipelineRequest>();
    expectTypeOf(program).returns.toExtend<PipelineRequest>();
  });
});
