import { describe, expect, it } from 'vitest';
import type { Model } from '../../../src/api/models/define-model.ts';
import {
  describeModel,
  describeModels,
  exampleInput,
  exampleValue,
  type FieldDescription,
} from '../../../src/api/models/describe.ts';
import { contentAt, inputSchema, schemaAt } from '../../../src/api/models/json-schema.ts';
import { MODELS } from '../../../src/api/models/registry.ts';

/** The descriptions of a model's fields, by their names. */
function fieldsOf(model: Model, override = {}): Record<string, FieldDescription> {
  return Object.fromEntries(describeModel(model, override).fields.map((field) => [field.name, field]));
}

describe('a model in words', () => {
  it('has its own facts, and a price or a version only where it has one', () => {
    const whole = ({ fields: _fields, schema: _schema, ...rest }: ReturnType<typeof describeModel>) => rest;
    expect(whole(describeModel(MODELS['video-f']))).toEqual({
      id: 'video-f',
      family: 'video',
      title: expect.stringMatching(/./) as string,
      path: 'generation/darkroom/video-f',
      output: 'video',
      multipart: 'assumed',
      typicalSeconds: expect.any(Number) as number,
      cost: { usdPerOutputSecond: 0.05 },
      rules: [],
      assumedRules: [],
      example: { prompt: 'a lighthouse at dawn', first_frame_url: 'https://example.com/image.png' },
    });
    const described = describeModels();
    expect(described.filter(({ versioned }) => versioned === true).map(({ id }) => id)).toEqual([
      'face-swap-c',
    ]);
    expect(described.filter((one) => 'versioned' in one)).toHaveLength(1);
    expect(described.filter((one) => 'cost' in one)).toHaveLength(2);
    expect(described.filter(({ multipart }) => multipart === true).map(({ id }) => id)).toEqual([
      'face-swap-c',
    ]);
    expect(describeModel(MODELS['face-swap-c'], { multipart: false }).multipart).toBe(false);
    expect(describeModel(MODELS['video-f'], { multipart: true }).multipart).toBe(true);
  });

  it('has the rules between its fields, which its schema tells as well', () => {
    const rules = describeModels().flatMap(({ id, rules }) => rules.map((says) => [id, says]));
    expect(rules).toEqual([
      ['video-d', 'video_url is the source video of edit-video'],
      ['video-d', 'image_url is the source image of image-to-video'],
      ['video-d', 'text-to-video takes no images'],
      ['video-d', 'outside reference-to-video image_urls is only an alias for a single image'],
      ['video-d', 'reference_image_urls is for reference-to-video and edit-video'],
      ['video-d', 'reference-to-video takes 1 to 9 reference images'],
      ['video-d', 'edit-video takes up to 5 guide images'],
      ['video-d', 'a video_url makes it edit-video, which takes up to 5 guide images'],
      ['video-d', 'aspect_ratio is for text-to-video and reference-to-video'],
      ['video-d', 'audio_setting is for edit-video'],
      ['video-e', '1080p supports only 6 seconds, and 10 seconds work only at 768p'],
      ['video-i', 'background music is only for 4-second videos'],
      ['video-j', 'background music is only for 4-second videos'],
      ['video-k', 'first and last frame are for the frames mode'],
      [
        'image-n',
        'an @Image<number> in the prompt names an image of image_urls, counted from 1; a bare @Image needs exactly one',
      ],
      ['image-s', 'edit mode (with reference images) makes up to 4 images, text mode up to 5'],
    ]);
    for (const { schema, rules } of describeModels()) {
      for (const says of rules) expect(schema.description).toContain(says);
    }
  });

  it('has a field with its type, its limits and nothing else', () => {
    const fields = fieldsOf(MODELS['video-i']);
    expect(fields['prompt']).toStrictEqual({
      name: 'prompt',
      type: 'string',
      required: true,
      assumed: false,
      description: 'What happens in the video',
      maxLength: 3000,
    });
    expect(fields['seed']).toEqual({
      name: 'seed',
      type: 'integer',
      nullable: true,
      required: false,
      assumed: true,
      description: 'Random seed; null or omitted gives a random one',
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
    });
    expect(fields['image_urls']).toMatchObject({ type: 'array', kind: 'image', items: { format: 'uri' } });
    const nullable = describeModels().flatMap((one) => one.fields.filter((field) => 'nullable' in field));
    expect(nullable).toHaveLength(1);
    const types = new Set(describeModels().flatMap((one) => one.fields.map(({ type }) => type)));
    expect([...types].toSorted()).toEqual(['any', 'array', 'boolean', 'integer', 'number', 'string']);
  });

  it('has the names and the path of an override', () => {
    const override = {
      path: 'generation/acme/i',
      fields: { seed: 'random_seed', n: 'n' },
      passUnknown: true,
    };
    const described = describeModel(MODELS['video-i'], override);
    expect(described.path).toBe('generation/acme/i');
    expect(described.schema.additionalProperties).toBe(true);
    expect(describeModel(MODELS['video-i']).schema.additionalProperties).toBe(false);
    expect(fieldsOf(MODELS['video-i'], override)['seed']?.wireName).toBe('random_seed');
    expect(fieldsOf(MODELS['video-i'], override)['n']).not.toHaveProperty('wireName');
    expect(describeModels({ 'video-i': override }).find(({ id }) => id === 'video-i')?.path).toBe(
      'generation/acme/i',
    );
  });
});

describe('an example', () => {
  it.each([
    [{ type: 'string', examples: ['mine', 'other'], default: 'x' }, 'mine'],
    [{ type: 'string', default: 'usual', enum: ['a', 'usual'] }, 'usual'],
    [{ type: 'string', enum: ['first', 'second'] }, 'first'],
    [{ type: 'string' }, 'some text'],
    [{}, 'some text'],
    [{ type: 'boolean' }, true],
    [{ type: 'integer' }, 4],
    [{ type: 'number', minimum: 0, maximum: 1 }, 1],
    [{ type: 'integer', minimum: 6 }, 6],
    [{ type: ['null', 'integer'] }, 4],
    [{ type: 'null' }, 'some text'],
    [{ type: 'array', items: { type: 'integer' } }, [4]],
    [{ type: 'array' }, ['some text']],
    [
      { type: 'object', properties: { a: { type: 'boolean' }, b: {} } },
      { a: true, b: 'some text' },
    ],
    [{ type: 'object' }, {}],
  ])('of %j is %j', (schema, value) => {
    expect(exampleValue(schema as Parameters<typeof exampleValue>[0])).toEqual(value);
  });

  it('of a model has what is required, and what it would say nothing without', () => {
    expect(exampleInput(MODELS['image-l'])).toEqual({ prompt: 'a lighthouse at dawn' });
    expect(exampleInput(MODELS['lip-sync-h'])).toEqual({
      video_url: 'https://example.com/video.mp4',
      audio_url: 'https://example.com/audio.mp3',
    });
    expect(Object.keys(exampleInput(MODELS['video-d']))).toEqual(['prompt', 'video_url']);
  });
});

describe('a path into a model', () => {
  it('leads to the schema of a field or of what a list holds', () => {
    const schema = inputSchema(MODELS['image-l']);
    expect(schemaAt(schema, ['n'])).toMatchObject({ type: 'integer', maximum: 4 });
    expect(schemaAt(schema, ['image_urls', 3])).toMatchObject({ type: 'string', format: 'uri' });
    for (const path of [
      ['nothing'],
      ['nothing', 'more'],
      ['nothing', 0],
      ['n', 'more'],
      ['n', 0],
      ['n', 0, 'more'],
    ]) {
      expect([path, schemaAt(schema, path)]).toEqual([path, undefined]);
    }
  });

  it('leads to files, text or something else', () => {
    const at = (id: 'image-l' | 'image-n' | 'video-j', ...path: string[]) => contentAt(MODELS[id], path);
    expect(at('image-l', 'prompt')).toBe('text');
    expect(at('image-l', 'resolution')).toBe('other');
    expect(at('image-l', 'n')).toBe('other');
    expect(at('image-l', 'image_urls')).toEqual({ files: 'image', many: true });
    expect(at('image-l', 'image_urls', '0')).toEqual({ files: 'image', many: false });
    expect(at('image-l', 'constructor')).toBeUndefined();
    expect(at('image-l', 'nothing', 'more')).toBeUndefined();
    expect(at('image-n', 'elements')).toBe('other');
    expect(at('video-j', 'audio')).toBeUndefined();
  });
});

describe('the schema of a model', () => {
  it('says a rule as a condition where it can', () => {
    const conditions = (id: 'video-d' | 'video-e' | 'image-s') => inputSchema(MODELS[id]).allOf ?? [];
    expect(conditions('video-e')).toContainEqual({
      $comment: '1080p supports only 6 seconds, and 10 seconds work only at 768p',
      if: { properties: { resolution: { enum: ['1080p'] } }, required: ['resolution'] },
      // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
      then: { properties: { duration: { enum: [6] } } },
    });
    expect(conditions('video-d')).toContainEqual({
      $comment: 'a video_url makes it edit-video, which takes up to 5 guide images (assumed)',
      if: { required: ['video_url'] },
      // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
      then: { properties: { reference_image_urls: { type: 'array', maxItems: 5 } } },
    });
    expect(inputSchema(MODELS['image-l'])).not.toHaveProperty('allOf');
  });

  it('tells limits of texts and addresses in zod’s own words', () => {
    const issues = (id: 'image-s' | 'upscale-q', input: object) =>
      MODELS[id].input.safeParse(input).error?.issues;
    expect(issues('image-s', { prompt: '' })).toMatchObject([
      { code: 'too_small', origin: 'string', minimum: 1, inclusive: true, path: ['prompt'] },
    ]);
    expect(issues('image-s', { prompt: 'x'.repeat(2001) })).toMatchObject([
      { code: 'too_big', origin: 'string', maximum: 2000, inclusive: true, path: ['prompt'] },
    ]);
    expect(issues('upscale-q', { image_url: 'ftp://x' })).toMatchObject([
      { code: 'invalid_format', format: 'url', path: ['image_url'] },
    ]);
  });

  it('blames a broken rule at its field, also in zod’s words', () => {
    const broken = { prompt: 'x', bgm: true, duration: 8 };
    const [issue] = MODELS['video-i'].input.safeParse(broken).error?.issues ?? [];
    expect(issue).toMatchObject({
      code: 'custom',
      path: ['duration'],
      message: 'must be 4 with bgm true; got 8 (background music is only for 4-second videos)',
    });
  });
});
