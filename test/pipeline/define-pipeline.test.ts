import { describe, expect, it } from 'vitest';
import { checkPipelineRequest } from '../../src/contract/checks/check-pipeline.ts';
import { definePipeline, type PipelineRequest } from '../../src/pipeline/index.ts';

function mistakesIn(request: PipelineRequest): unknown {
  const check = checkPipelineRequest(request, { models: {}, workspaces: new Map([['default', {}]]) });
  return check.ok ? [] : check.errors;
}

describe('definePipeline', () => {
  it('lets a step from a template leave fields open', () => {
    const document = definePipeline(({ step }) => {
      step('image-l', { n: 2 }, { templateId: 'tpl_poster' });
    });
    expect(mistakesIn(document)).toEqual([]);
    expect(document.steps).toEqual({
      'image-l': { model: 'image-l', input: { n: 2 }, templateId: 'tpl_poster' },
    });
  });

  it('gives exactly the JSON document', () => {
    const document = definePipeline(
      ({ step, input, each }) => {
        const stills = step('image-l', { prompt: input.scene, n: 2 }, { policy: { deadline: '20m' } });
        const large = step('upscale-q', { image_url: stills.each }, { onFailure: 'hold' });
        const sheet = step('image-m', { prompt: 'a contact sheet', image_urls: stills.all });
        const edit = step('image-m', {
          prompt: 'both in one',
          image_urls: [stills.outputAt(1), 'https://files.example/frame.png'],
        });
        const voices = step('speech-b', { text: each(input.lines) });
        const clip = step(
          'video-f',
          { prompt: 'slow zoom', first_frame_url: large.outputAt(1) },
          { approve: true },
        );
        return { stills, large, sheet, edit, voices, clip };
      },
      {
        params: { scene: 'a lighthouse at dawn', lines: ['good morning', 'good night'] },
        budget: { credits: 500 },
        tags: { team: 'film' },
      },
    );
    expect(mistakesIn(document)).toEqual([]);
    expect(document).toEqual({
      steps: {
        stills: {
          model: 'image-l',
          input: { prompt: { $param: 'scene' }, n: 2 },
          policy: { deadline: '20m' },
        },
        large: { model: 'upscale-q', input: { image_url: { $each: 'stills' } }, onFailure: 'hold' },
        sheet: { model: 'image-m', input: { prompt: 'a contact sheet', image_urls: { $all: 'stills' } } },
        edit: {
          model: 'image-m',
          input: {
            prompt: 'both in one',
            image_urls: [{ $from: 'stills', output: 1 }, 'https://files.example/frame.png'],
          },
        },
        voices: { model: 'speech-b', input: { text: { $each: { $param: 'lines' } } } },
        clip: {
          model: 'video-f',
          input: { prompt: 'slow zoom', first_frame_url: { $from: 'large', output: 1 } },
          approve: true,
        },
      },
      params: { scene: 'a lighthouse at dawn', lines: ['good morning', 'good night'] },
      budget: { credits: 500 },
      tags: { team: 'film' },
    });
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });

  it('builds steps by the values of parameters, in types that fields have', () => {
    const document = definePipeline(
      ({ step, input, params, each }) => {
        for (const ratio of params.ratios)
          step(
            'image-l',
            { prompt: 'a shoe', aspect_ratio: ratio },
            { name: `shoe-${ratio.replace(':', '-')}` },
          );
        return { all: step('image-l', { prompt: 'a shoe', aspect_ratio: each(input.ratios) }) };
      },
      { params: { ratios: ['1:1', '16:9'] } },
    );
    expect(Object.keys(document.steps)).toEqual(['shoe-1-1', 'shoe-16-9', 'all']);
    expect(mistakesIn(document)).toEqual([]);
  });

  it('refuses a reference within a text: nobody would put its value there', () => {
    const options = { params: { city: 'Oslo' } };
    const within = 'cannot stand within a text';
    /** As a template literal does it. */
    const asText = (part: unknown): string => String(part);
    expect(() =>
      definePipeline(({ step, input }) => {
        step('image-l', { prompt: `${asText(input.city)} at dawn` });
      }, options),
    ).toThrow(`{"$param":"city"} ${within}`);
    expect(() =>
      definePipeline(({ step }) => {
        const still = step('image-l', { prompt: 'a pier' }, { name: 'still' });
        step('image-l', { prompt: `like ${asText(still.output)}` });
      }),
    ).toThrow(`{"$from":"still"} ${within}`);
    const named = definePipeline(({ step, params }) => {
      step('image-l', { prompt: `${params.city} at dawn` });
    }, options);
    expect(named.steps).toMatchObject({ 'image-l': { input: { prompt: 'Oslo at dawn' } } });
  });

  it('leaves a column without a value: each row gives its own', () => {
    const document = definePipeline(
      ({ step, input }) => ({ still: step('image-l', { prompt: input.city }) }),
      { columns: ['city'] },
    );
    expect(document).toEqual({
      steps: { still: { model: 'image-l', input: { prompt: { $param: 'city' } } } },
    });
  });

  it('names steps that nobody named after their models, and fields left out as undefined are left out', () => {
    const document = definePipeline(({ step }) => {
      const still = step('image-l', { prompt: 'x', n: undefined });
      step('upscale-q', { image_url: still.output });
      step('image-l', { prompt: 'y' });
    });
    expect(document).toEqual({
      steps: {
        'image-l': { model: 'image-l', input: { prompt: 'x' } },
        'upscale-q': { model: 'upscale-q', input: { image_url: { $from: 'image-l' } } },
        'image-l-2': { model: 'image-l', input: { prompt: 'y' } },
      },
    });
  });

  it('refuses two steps of one name, two names of one step, and names that are none', () => {
    const image = { prompt: 'x' };
    expect(() =>
      definePipeline(({ step }) => {
        step('image-l', image, { name: 'a' });
        step('image-l', image, { name: 'a' });
      }),
    ).toThrow('two steps are named a');
    expect(() => definePipeline(({ step }) => ({ b: step('image-l', image, { name: 'a' }) }))).toThrow(
      'step a is returned as b: it has one name',
    );
    expect(() => definePipeline(({ step }) => ({ 'a b': step('image-l', image) }))).toThrow(
      '"a b" is no name of a step',
    );
  });
});
