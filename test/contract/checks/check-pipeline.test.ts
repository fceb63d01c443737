import { describe, expect, it } from 'vitest';
import type { FieldError } from '../../../src/api/input/field-error.ts';
import { checkPipelineRequest } from '../../../src/contract/checks/check-pipeline.ts';
import { jsonBytes } from '../../../src/contract/json-bytes.ts';

const deps = { models: {}, workspaces: new Map([['default', {}]]) };

function errorsOf(request: unknown, workflowId?: string): FieldError[] {
  const check = checkPipelineRequest(request, { ...deps, workflowId });
  return check.ok ? [] : check.errors;
}

const still = (n = 1) => ({ model: 'image-l', input: { prompt: 'a lighthouse', n } });
const large = (reference: unknown) => ({ model: 'upscale-q', input: { image_url: reference } });
const clip = (reference: unknown) => ({
  model: 'video-f',
  input: { prompt: 'slow zoom', first_frame_url: reference },
});
const speech = { model: 'speech-b', input: { text: 'Good evening.' } };

function repeated(times: number, value: object): object[] {
  return Array.from({ length: times }, () => value);
}

describe('the graph of a pipeline', () => {
  it('may branch and join', () => {
    const steps = { a: still(), b: large({ $from: 'a' }), c: large({ $from: 'a' }) };
    const join = { model: 'image-l', input: { prompt: 'x', image_urls: [{ $from: 'b' }, { $from: 'c' }] } };
    expect(errorsOf({ steps: { ...steps, join } })).toEqual([]);
  });

  it('has no cycle, and the refusal shows it', () => {
    const steps = { a: large({ $from: 'c' }), b: large({ $from: 'a' }), c: large({ $from: 'b' }) };
    expect(errorsOf({ steps })).toEqual([{ path: 'steps.a', message: 'is part of a cycle: a → c → b → a' }]);
    expect(errorsOf({ steps: { a: large({ $from: 'a' }) } })).toHaveLength(1);
  });

  it('has none by what steps had before either, and knows all that those need', () => {
    const steps = { a: still(), b: large({ $from: 'a' }) };
    const earlier = (input: unknown) =>
      errorsOf({ steps, reuse: 'pipeline/p', earlierInputs: { a: [input] } });
    expect(earlier({ prompt: 'a pier' })).toEqual([]);
    const path = 'earlierInputs.a.0.image_urls';
    expect(earlier({ image_urls: { $all: 'b' } })).toEqual([
      { path: 'steps.a', message: 'is part of a cycle: a → b → a' },
    ]);
    expect(earlier({ image_urls: { $all: 'c' } })).toEqual([
      { path, message: 'names c, which is no step of this pipeline; did you mean a? steps: a, b' },
    ]);
    const large1 = { text: { $param: 'much' } };
    expect(
      errorsOf({
        steps,
        params: { much: 'x'.repeat(600_000) },
        earlierInputs: { a: [{ ...large1, more: large1 }] },
      }),
    ).toMatchObject([
      { path: 'steps.a.input', message: expect.stringContaining('would have 1200') as unknown },
    ]);
  });

  it.each([
    [7, 'earlierInputs', 'must be an object of lists of inputs by step'],
    [{ c: [] }, 'earlierInputs', 'names c, which is no step of this pipeline'],
    [{ a: {} }, 'earlierInputs.a', 'must be a list of inputs, nested at most 100 levels'],
    [{ a: [null] }, 'earlierInputs.a', 'must be a list of inputs, nested at most 100 levels'],
  ])('is refused with inputs of before that are none: %j', (earlierInputs, path, message) => {
    expect(errorsOf({ steps: { a: still() }, earlierInputs })).toEqual([{ path, message }]);
  });

  it('may be a chain as long as a pipeline; a circle as long is shown by its beginning', () => {
    const chain = (last: unknown) =>
      Object.fromEntries(
        Array.from({ length: 1_000 }, (_, index) => [
          `s${index}`,
          index === 0 ? large(last) : large({ $from: `s${index - 1}` }),
        ]),
      );
    expect(errorsOf({ steps: chain('https://example.com/a.png') })).toEqual([]);
    const [error] = errorsOf({ steps: chain({ $from: 's999' }) });
    expect(error?.message).toMatch(/^is part of a cycle: s0 → s999 → .*…$/);
    expect(error?.message.length).toBeLessThan(150);
  });

  it('names only its own steps, and a wrong name tells the nearest right one', () => {
    const steps = { still: still(), other: still(), large: large({ $from: 'stil' }) };
    const [error] = errorsOf({ steps });
    expect(error).toEqual({
      path: 'steps.large.input.image_url',
      message:
        'names stil, which is no step of this pipeline; did you mean still? steps: still, other, large',
    });
    for (const name of ['toString', 'constructor', '__proto__'])
      expect(errorsOf({ steps: { a: large({ $from: name }) } })).toHaveLength(1);
  });

  it('fans a step out over one thing at most', () => {
    const image_urls = [{ $each: 'a' }, { $each: 'b' }];
    const steps = { a: still(), b: still(), c: { model: 'image-l', input: { prompt: 'x', image_urls } } };
    expect(errorsOf({ steps })).toEqual([expect.objectContaining({ path: 'steps.c.input' })]);
  });
});

describe('the kinds of files that go from step to step', () => {
  it.each([
    [
      'a video where an image is meant',
      { v: clip('https://example.com/a.png'), s: large({ $from: 'v' }) },
      's',
      'image_url',
      'takes an image; step v makes a video (video-f)',
    ],
    [
      'an image in a text',
      { v: still(), s: { model: 'image-l', input: { prompt: { $from: 'v' } } } },
      's',
      'prompt',
      'takes a text',
    ],
    [
      'a talking head with its inputs swapped',
      {
        face: still(),
        clip: clip({ $from: 'face' }),
        voice: speech,
        s: { model: 'lip-sync-h', input: { video_url: { $from: 'voice' }, audio_url: { $from: 'clip' } } },
      },
      's',
      'video_url',
      'takes a video; step voice makes audio',
    ],
    [
      'a face swap with a voice',
      { v: speech, s: { model: 'face-swap-c', input: { input_image: { $from: 'v' }, swap_image: 'x' } } },
      's',
      'input_image',
      'takes an image',
    ],
    [
      'a number',
      { v: still(), s: { model: 'image-l', input: { prompt: 'x', n: { $from: 'v' } } } },
      's',
      'n',
      'a reference',
    ],
    ['a list for one file', { v: still(), s: large({ $all: 'v' }) }, 's', 'image_url', 'takes one file'],
    [
      'one file for a list',
      { v: still(), s: { model: 'image-l', input: { prompt: 'x', image_urls: { $from: 'v' } } } },
      's',
      'image_urls',
      'takes a list',
    ],
  ])('must fit: %s', (_, steps, step, field, message) => {
    const errors = errorsOf({ steps });
    expect(errors).toContainEqual({
      path: `steps.${step}.input.${field}`,
      message: expect.stringContaining(message),
    });
  });

  it('fit where they are what a field takes', () => {
    const steps = {
      faces: still(3),
      clip: clip({ $from: 'faces', output: 2 }),
      voice: speech,
      head: { model: 'lip-sync-h', input: { video_url: { $from: 'clip' }, audio_url: { $from: 'voice' } } },
      montage: { model: 'image-l', input: { prompt: 'x', image_urls: { $all: 'faces' } } },
    };
    expect(errorsOf({ steps })).toEqual([]);
  });

  it('are not told of what the registry does not know', () => {
    const elements = [{ frontal_image_url: { $from: 'v' }, something: { $from: 'v' } }];
    const steps = { v: still(), s: { model: 'image-n', input: { prompt: 'x', elements } } };
    expect(errorsOf({ steps })).toEqual([]);
    const wrong = { v: speech, s: { model: 'image-n', input: { prompt: 'x', elements } } };
    expect(errorsOf({ steps: wrong }).map(({ path }) => path)).toEqual([
      'steps.s.input.elements.0.frontal_image_url',
    ]);
  });

  it.each(['$still.url', '${still}', '$stil', { from: 'still' }, { from: 'still', output: 1 }])(
    'are told the right form of a reference that is almost one: %j',
    (value) => {
      expect(errorsOf({ steps: { still: still(2), large: large(value) } })).toEqual([
        {
          path: 'steps.large.input.image_url',
          message: expect.stringContaining('write { "$from": "still" }'),
        },
      ]);
    },
  );

  it('leave a text alone that begins like a reference', () => {
    expect(errorsOf({ steps: { still: { model: 'image-l', input: { prompt: '$still life' } } } })).toEqual(
      [],
    );
  });
});

describe('parameters', () => {
  const city = { model: 'image-l', input: { prompt: { $param: 'city' }, n: { $param: 'count' } } };

  it('stand for their values, whatever these are', () => {
    expect(errorsOf({ steps: { city }, params: { city: 'Oslo', count: 2 } })).toEqual([]);
    expect(errorsOf({ steps: { city }, params: { city: 'Oslo', count: 99 } })).toEqual([
      { path: 'steps.city.input.n', message: 'must be an integer from 1 to 4; got 99' },
    ]);
  });

  it('count where outputs are counted', () => {
    const steps = { city, last: large({ $from: 'city', output: 2 }) };
    expect(errorsOf({ steps, params: { city: 'Oslo', count: 3 } })).toEqual([]);
    expect(errorsOf({ steps, params: { city: 'Oslo', count: 2 } })).toHaveLength(1);
  });

  it('are there, and are plain values', () => {
    const [unknown] = errorsOf({ steps: { city }, params: { citi: 'Oslo', count: 1 } });
    expect(unknown?.message).toContain('did you mean citi?');
    expect(errorsOf({ steps: { city }, params: { city: { $from: 'city' }, count: 1 } })[0]).toMatchObject({
      path: 'params.city',
    });
    expect(errorsOf({ steps: { city }, params: ['Oslo'] })[0]).toMatchObject({ path: 'params' });
    const inherited = { model: 'image-l', input: { prompt: { $param: 'toString' } } };
    expect(errorsOf({ steps: { inherited }, params: {} })[0]?.message).toContain('which is no parameter');
  });

  it('fan a step out where they are lists, and each value is looked at', () => {
    const each = { model: 'image-l', input: { prompt: { $each: { $param: 'cities' } } } };
    const steps = { each, last: large({ $from: 'each', output: 2 }) };
    expect(errorsOf({ steps, params: { cities: ['Oslo', 'Rome', 'Lima'] } })).toEqual([]);
    expect(errorsOf({ steps: { each }, params: { cities: ['Oslo', 5, 'Lima', 6] } })).toEqual([
      { path: 'steps.each.input.prompt', message: 'of item 1 must be a string; got 5' },
    ]);
    for (const cities of ['Oslo', []])
      expect(errorsOf({ steps: { each }, params: { cities } })[0]?.message).toContain('must be a list');
  });
});

describe('what a step may say beside its model and input', () => {
  it('is that it waits for a person', () => {
    expect(errorsOf({ steps: { a: { ...still(), approve: true, onFailure: 'hold' } } })).toEqual([]);
    const wrong = { a: { ...still(), approve: 'yes', onFailure: 'wait', retries: 3 } };
    expect(errorsOf({ steps: wrong }).map(({ path }) => path)).toEqual([
      'steps.a.retries',
      'steps.a.approve',
      'steps.a.onFailure',
    ]);
  });

  it('may have tags: up to eight short ones', () => {
    const ok = { 'team.x-1:a_b': 'film' };
    expect(errorsOf({ steps: { a: still() }, tags: ok })).toEqual([]);
    for (const tags of [
      { team: 'two words' },
      { 'two words': 'x' },
      { team: '' },
      { team: 5 },
      { team: 'x'.repeat(65) },
      'film',
    ])
      expect(errorsOf({ steps: { a: still() }, tags })).toHaveLength(1);
    const nine = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`t${index}`, 'x']));
    expect(errorsOf({ steps: { a: still() }, tags: nine })).toEqual([
      { path: 'tags', message: expect.stringContaining('at most 8') },
    ]);
  });
});

describe('a request that is too large', () => {
  it('is refused by its bytes, not its characters', () => {
    const steps = (length: number) => ({ a: { model: 'image-l', input: { prompt: '€'.repeat(length) } } });
    expect(errorsOf({ steps: steps(330_000) })).toEqual([]);
    expect(errorsOf({ steps: steps(340_000) })).toEqual([
      { path: 'request', message: expect.stringContaining('bytes as JSON') },
    ]);
  });

  it('is refused by what a generation would get, before anything is put there', () => {
    const text = 'x'.repeat(400_000);
    const twice = {
      model: 'image-r',
      input: { prompt: { $param: 'text' }, negative_prompt: { $param: 'text' } },
    };
    expect(errorsOf({ steps: { twice }, params: { text } })).toEqual([]);
    const thrice = { ...twice, input: { ...twice.input, image_urls: [{ $param: 'text' }] } };
    expect(errorsOf({ steps: { thrice }, params: { text } })).toEqual([
      { path: 'steps.thrice.input', message: expect.stringContaining('at most 1000000') },
    ]);
    const urls = { model: 'image-r', input: { prompt: 'x', image_urls: repeated(600, { $from: 'a' }) } };
    expect(errorsOf({ steps: { a: still(), urls } })[0]).toMatchObject({ path: 'steps.urls.input' });
  });

  it('is refused by what all generations together would get', () => {
    const many = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [
        `s${index}`,
        { model: 'image-l', input: { prompt: { $param: 'text' } } },
      ]),
    );
    expect(errorsOf({ steps: many, params: { text: 'x'.repeat(150_000) } })).toEqual([]);
    expect(errorsOf({ steps: many, params: { text: 'x'.repeat(250_000) } })).toEqual([
      { path: 'steps', message: expect.stringContaining('all generations together') },
    ]);
  });

  it('is refused by the number of its references', () => {
    const urls = { model: 'image-r', input: { prompt: 'x', image_urls: repeated(400, { $from: 'a' }) } };
    const many = Object.fromEntries(Array.from({ length: 26 }, (_, index) => [`s${index}`, urls]));
    const errors = errorsOf({ steps: { a: still(), ...many } });
    expect(errors).toEqual([{ path: 'steps', message: expect.stringContaining('10400 references') }]);
  });

  it('is refused without being walked into the ground where it has no bottom', () => {
    let nested: unknown = 'bottom';
    for (let depth = 0; depth < 200_000; depth += 1) nested = [nested];
    expect(errorsOf({ steps: { a: { model: 'image-l', input: { prompt: nested } } } })).toEqual([
      { path: 'request', message: expect.stringContaining('nested deeper') },
    ]);
  });
});

describe('the ids of generations', () => {
  const steps = { still: still(4), 'a-step-with-a-long-name': large({ $each: 'still' }) };

  it('are what the database of every server can hold', () => {
    const room = 255 - '/a-step-with-a-long-name/3'.length;
    expect(errorsOf({ steps }, 'p'.repeat(room))).toEqual([]);
    expect(errorsOf({ steps }, 'p'.repeat(room + 1))).toEqual([
      {
        path: 'steps.a-step-with-a-long-name',
        message: expect.stringContaining('/a-step-with-a-long-name/3 of 256 characters; at most 255'),
      },
    ]);
  });
});

describe('what is told of a request that is all wrong', () => {
  it('is the first fifty mistakes, counted once', () => {
    const fields = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`wrong${index}`, 1]));
    const errors = errorsOf({ steps: { a: { model: 'image-l', input: { prompt: 'x', ...fields } } } });
    expect(errors).toHaveLength(51);
    expect(errors.at(-1)).toEqual({ path: 'request', message: 'has 10 more mistakes' });
  });

  it('is short, however many references are wrong', () => {
    const image_urls = repeated(60, { $from: 'y'.repeat(60) });
    const wrong = { model: 'image-r', input: { prompt: 'x', image_urls } };
    const steps = Object.fromEntries(Array.from({ length: 140 }, (_, index) => [`step-${index}`, wrong]));
    const request = { steps };
    expect(jsonBytes(request)).toBeGreaterThan(600_000);
    const errors = errorsOf(request);
    expect(errors).toHaveLength(51);
    expect(jsonBytes(errors)).toBeLessThan(30_000);
    expect(errors[0]?.message).toMatch(/and 130 more$/);
    expect(errors.at(-1)?.message).toMatch(/^has \d+ more mistakes$/);
  });

  it('is nothing of other workspaces', () => {
    const own = { models: {}, workspaces: new Map([['secret-client', {}]]) };
    const check = checkPipelineRequest({ steps: { a: still() }, workspace: 'mine' }, own);
    expect(JSON.stringify(check)).not.toContain('secret-client');
    expect(check).toMatchObject({ ok: false, errors: [{ path: 'workspace' }] });
  });
});
