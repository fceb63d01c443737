import { describe, expectTypeOf, it } from 'vitest';
import type { ImageData } from '../../src/api/records/output-data.ts';
import type { DarkroomClient } from '../../src/client/index.ts';
import type { GenerationOutput } from '../../src/contract/generation.ts';
import type { IncompleteItem, PipelineResult, StepResult } from '../../src/contract/pipeline.ts';
import type { StepModelResult } from '../../src/contract/steps/model-result.ts';
import { definePipeline } from '../../src/pipeline/index.ts';
import { pipeline } from '../../src/workflow/index.ts';

/** Checked by the compiler (`npm run typecheck`): nothing but the definitions runs. */
declare const darkroom: DarkroomClient;
const isLarge = Date.now() > 0;

const film = definePipeline(
  ({ step, input, each }) => {
    const still = step('image-l', { prompt: input.scene, aspect_ratio: '16:9', n: 2 });
    const large = step('upscale-q', { image_url: still.each });
    const voices = step('speech-b', { text: each(input.lines) });
    const clip = step('video-f', { prompt: 'slow zoom', first_frame_url: large.outputAt(1) });
    const sheet = step('image-m', {
      prompt: 'a sheet',
      image_urls: [still.output, 'https://files.example/a.png'],
    });
    const sheets = step('image-m', { prompt: 'a sheet', image_urls: [still.output, large.each] });
    const either = step('upscale-q', { image_url: isLarge ? large.output : still.each });
    step('image-l', { prompt: 'not returned' }, { name: 'other' });
    return { still, large, voices, clip, sheet, sheets, either };
  },
  { params: { scene: 'a lighthouse', lines: ['good morning', 'good night'] } },
);

describe("a defined pipeline's result", () => {
  it('has the outputs of each step that is returned, by its name and model', () => {
    const program = async () => {
      const { steps } = await darkroom.run(film);
      expectTypeOf(steps.still.result).toEqualTypeOf<StepModelResult<'image-l'>>();
      expectTypeOf(steps.still.result.data).toEqualTypeOf<ImageData | string | null>();
      expectTypeOf(steps.clip.result.model).toEqualTypeOf<'video-f'>();
      expectTypeOf(steps.clip.result.outputs).toEqualTypeOf<GenerationOutput[]>();
      expectTypeOf(steps.sheet.result.model).toEqualTypeOf<'image-m'>();
      // @ts-expect-error a step that is not there
      void steps.stil;
      // @ts-expect-error a step that is not returned
      void steps.other;
    };
    expectTypeOf(program).toBeFunction();
  });

  it('has the items of a step that is fanned out, and either where that is known at run time alone', () => {
    const program = async () => {
      const { steps } = await (await darkroom.start(film)).result();
      for (const items of [steps.large.items, steps.sheets.items, steps.voices.items])
        expectTypeOf(items).items.toHaveProperty('result');
      expectTypeOf(steps.large.items)
        .items.toHaveProperty('result')
        .toEqualTypeOf<StepModelResult<'upscale-q'>>();
      // @ts-expect-error it has one result for each item
      void steps.large.result;
      // @ts-expect-error it is not fanned out
      void steps.still.items;
      const { either } = steps;
      expectTypeOf('items' in either ? either.items[0] : either).toExtend<
        { result: StepModelResult<'upscale-q'> } | undefined
      >();
      // @ts-expect-error it may be fanned out
      void either.result;
    };
    expectTypeOf(program).toBeFunction();
  });

  it('may have steps that are not completed with allowPartial', () => {
    const program = async () => {
      const { steps } = await darkroom.run({ ...film, allowPartial: true });
      // @ts-expect-error it may have failed
      void steps.still.result;
      if (steps.still.status === 'COMPLETED')
        expectTypeOf(steps.still.result).toEqualTypeOf<StepModelResult<'image-l'>>();
      else expectTypeOf(steps.still).toEqualTypeOf<IncompleteItem>();
      const partial = definePipeline(({ step }) => ({ still: step('image-l', { prompt: 'x' }) }), {
        allowPartial: true,
      });
      expectTypeOf((await darkroom.run(partial)).steps.still).toEqualTypeOf(steps.still);
    };
    expectTypeOf(program).toBeFunction();
  });

  it('is the same with other parameters, and in a workflow', () => {
    const program = async () => {
      const own = { ...film, params: { scene: 'a pier', lines: [] }, policy: { deadline: '20m' } };
      expectTypeOf(await darkroom.run(own)).toEqualTypeOf(await darkroom.run(film));
      expectTypeOf(await pipeline(film)).toEqualTypeOf(await darkroom.run(film));
      expectTypeOf(await darkroom.run(film)).toExtend<PipelineResult>();
    };
    expectTypeOf(program).toBeFunction();
  });
});

it("any other pipeline's result has steps of any name", () => {
  const program = async () => {
    const steps = { still: { model: 'image-l', input: { prompt: 'x' } } };
    expectTypeOf((await darkroom.run({ steps })).steps).toEqualTypeOf<Record<string, StepResult>>();
    expectTypeOf(await darkroom.run({ steps })).toExtend<PipelineResult>();
    const unnamed = definePipeline(({ step }) => void step('image-l', { prompt: 'x' }));
    expectTypeOf((await darkroom.run(unnamed)).steps).toEqualTypeOf<Record<string, StepResult>>();
    // @ts-expect-error a field that steps do not have
    await darkroom.run({ steps: { still: { ...steps.still, approved: true } } });
    // @ts-expect-error a field that pipelines do not have
    await darkroom.run({ steps, alowPartial: true });
  };
  expectTypeOf(program).toBeFunction();
});
