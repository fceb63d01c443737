import { describe, expect, it } from 'vitest';
import { DESCRIPTION_VERSION } from '../../src/api/description-version.ts';
import {
  areOfOneTemplate,
  fieldDigests,
  withTemplate,
  withTemplateOf,
} from '../../src/api/input/field-digests.ts';
import { canComeFrom } from '../../src/api/input/same-input.ts';
import { SOME_TEMPLATE, templateField, templateIdOf, wrongTemplateId } from '../../src/api/input/template.ts';
import { validateInput } from '../../src/api/input/validate-input.ts';
import { describeModel } from '../../src/api/models/describe.ts';
import { mostOutputs } from '../../src/api/models/output-count.ts';
import { modelOverrideSchema } from '../../src/api/models/override.ts';
import { MODELS } from '../../src/api/models/registry.ts';
import { namingTemplate } from '../../src/api/wire.ts';

describe('a template', () => {
  it('has an id that is printable, without spaces, and of some length', () => {
    const wrong = "must be a template's id: 1 to 200 ASCII characters without spaces";
    for (const id of ['t', '!~', 'x'.repeat(200)]) expect(wrongTemplateId(id)).toBeUndefined();
    for (const id of ['', 'a b', 'ü', '\u007f', 'x'.repeat(201), 7, null, ['t']])
      expect(wrongTemplateId(id)).toBe(wrong);
  });

  it('is named by a field of its own, which the configuration may call otherwise', () => {
    expect(templateField()).toBe('template_id');
    expect(templateField({ templateField: 'preset' })).toBe('preset');
    const wire = { path: 'generation/darkroom/image-l', body: { prompt: 'x' } };
    expect(namingTemplate(wire, 't1').body).toEqual({ prompt: 'x', template_id: 't1' });
    expect(namingTemplate(wire, 't1', { templateField: 'preset' })).toEqual({
      path: 'generation/darkroom/image-l',
      body: { prompt: 'x', preset: 't1' },
    });
    expect(namingTemplate(wire, undefined)).toBe(wire);
  });

  it('cannot be named by a field of any model', () => {
    const accepts = (name: string) =>
      modelOverrideSchema(MODELS['image-l']).safeParse({ templateField: name });
    expect(accepts('preset').success).toBe(true);
    for (const name of ['prompt', 'upscale_factor', 'elements']) {
      expect(accepts(name).error?.issues.map(({ message }) => message)).toEqual([
        "must not be the name of a model's field",
      ]);
    }
    expect(accepts('a b').success).toBe(false);
  });

  it.each<[unknown, string | undefined]>([
    [null, undefined],
    [undefined, undefined],
    ['t1', undefined],
    [{}, undefined],
    [{ id: 't1', name: 'Posters' }, 't1'],
    [{ id: 7 }, '7'],
    [{ name: 'Posters' }, 'some template'],
    [{ id: null }, 'some template'],
  ])('is told by an event’s metadata %j: %j', (metadata, id) => {
    expect(templateIdOf(metadata)).toBe(id);
  });

  it('tells tasks of one input from each other', () => {
    const none = fieldDigests({ prompt: 'fox' });
    const one = withTemplate(none, 't1');
    expect(withTemplate(none, undefined)).toEqual(none);
    expect(one).not.toEqual(withTemplate(none, 't2'));
    expect(Object.keys(one)).toEqual(['prompt', '@template']);
    expect(withTemplateOf(one, fieldDigests({ prompt: 'owl' }))).toEqual(
      withTemplate(fieldDigests({ prompt: 'owl' }), 't1'),
    );
    expect(withTemplateOf(none, one)).toEqual(one);
    expect([areOfOneTemplate(one, withTemplate({}, 't1')), areOfOneTemplate(none, {})]).toEqual([true, true]);
    expect([areOfOneTemplate(one, none), areOfOneTemplate(one, withTemplate(none, 't2'))]).toEqual([
      false,
      false,
    ]);
    const some = withTemplate({}, SOME_TEMPLATE);
    expect(some).toEqual({ '@template': '?' }); // as versions before and after this one tell it
    expect([areOfOneTemplate(some, one), areOfOneTemplate(one, some)]).toEqual([true, true]);
    expect([areOfOneTemplate(some, none), areOfOneTemplate(none, some)]).toEqual([false, false]);
    const takes = { names: ['prompt'], open: false };
    expect(canComeFrom(one, withTemplate({}, 't1'), takes)).toBe(true);
    expect(canComeFrom(one, none, takes)).toBe(false);
    expect(canComeFrom(none, one, undefined)).toBe(false);
  });

  it('completes an input: nothing is required of what is left, and what is there is judged', () => {
    const paths = (input: object) => validateInput('image-n', input, {}, 'template').map(({ path }) => path);
    expect(paths({})).toEqual([]);
    expect(validateInput('image-n', {}, {}, 'caller').map(({ path }) => path)).toEqual(['input.prompt']);
    expect(paths({ prompt: 7, image_urls: ['x'], elements: 'text' })).toEqual([
      'input.prompt',
      'input.image_urls.0',
      'input.elements',
    ]);
    // Rules that look at the whole input wait for it; those between fields that are there do not.
    expect(paths({ prompt: '@Image2' })).toEqual([]);
    const rules = validateInput('video-i', { bgm: true, duration: 8 }, {}, 'template');
    expect(rules.map(({ path }) => path)).toEqual(['input.duration']);
  });

  it('is named beside an input, not in it', () => {
    const message = 'names a template: that is templateId, which stands beside the input';
    const said = (name: string, override = {}) =>
      validateInput('image-l', { prompt: 'x', [name]: 't1' }, override);
    expect(said('template_id')).toEqual([{ path: 'input.template_id', message }]);
    expect(said('templateId')).toEqual([{ path: 'input.templateId', message }]);
    expect(said('preset', { templateField: 'preset', passUnknown: true })).toEqual([
      { path: 'input.preset', message },
    ]);
    expect(said('templateId', { passUnknown: true })).toEqual([]);
  });

  it('leaves open how many outputs there are, up to what its model makes', () => {
    expect(mostOutputs('image-l', {})).toBe(4);
    expect(mostOutputs('image-l', { n: 2 })).toBe(2);
    expect(mostOutputs('image-s', {})).toBe(20);
    expect(mostOutputs('image-s', { n: 1, num_images: 3 })).toBe(3);
    expect(mostOutputs('speech-b', {})).toBe(1);
    expect(mostOutputs('image-t', { n: 3 })).toBe(3);
  });
});

describe('rules that are assumed', () => {
  it('are told apart in a model’s description, and are not in it where they are relaxed', () => {
    const { rules, assumedRules } = describeModel(MODELS['video-d']);
    expect([rules.length, assumedRules.length]).toEqual([10, 8]);
    const stated = rules.filter((says) => !assumedRules.includes(says));
    const relaxed = describeModel(MODELS['video-d'], { assumedRules: 'relax' });
    expect([relaxed.rules, relaxed.assumedRules]).toEqual([stated, []]);
    expect(relaxed.schema.allOf).toHaveLength(2);
    expect(relaxed.schema.description).not.toContain('(assumed)');
    expect(describeModel(MODELS['video-e']).assumedRules).toEqual([]);
    expect(describeModel(MODELS['video-d'], { assumedRules: 'apply' }).rules).toEqual(rules);
  });
});

it('all of this follows version 1.0.0 of the API’s description', () => {
  expect(DESCRIPTION_VERSION).toBe('1.0.0');
});
