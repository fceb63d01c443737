import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { NormalizedInputs } from '../../../src/activities/generation/normalized-inputs.ts';
import { DarkroomMetrics } from '../../../src/activities/metrics.ts';
import { fieldDigests } from '../../../src/api/input/field-digests.ts';
import { canComeFrom } from '../../../src/api/input/same-input.ts';

function open(models = {}) {
  const registry = new Registry();
  const warnings: object[] = [];
  const log = { warn: (fields: object) => void warnings.push(fields) };
  return { inputs: new NormalizedInputs(models, new DarkroomMetrics(registry, []), log), registry, warnings };
}

it.each<[string, boolean, Record<string, unknown>]>([
  ['speech-b', true, { text: 'fox', n: 1 }],
  ['image-l', true, { prompt: 'fox', request_id: 'r' }],
  ['image-l', false, { prompt: 'fox', duration: 5 }],
])('a task of %s is told from others by a field of another model alone: %s of %j', (model, isIts, told) => {
  const { n: _1, request_id: _2, duration: _3, ...sent } = told;
  const { inputs } = open();
  const [answered, asked] = [fieldDigests(told), fieldDigests(sent)];
  // Nobody knows yet what the API adds for it.
  expect(canComeFrom(answered, asked, inputs.shapeOf(model)?.takes)).toBe(true);
  inputs.note(model, sent, sent);
  expect(canComeFrom(answered, asked, inputs.shapeOf(model)?.takes)).toBe(isIts);
});

describe('a field that the API answers with other than it was sent', () => {
  it('is warned of once, by model and field, and counted each time', async () => {
    const { inputs, registry, warnings } = open();
    const sent = { prompt: ' fox', n: 2, aspect_ratio: '1:1' };
    for (let n = 0; n < 3; n += 1)
      inputs.note('image-l', sent, { prompt: 'a red fox', n: '2', aspect_ratio: '1:1' });
    expect(warnings).toEqual([
      { model: 'image-l', field: 'prompt' },
      { model: 'image-l', field: 'n' },
    ]);
    expect(await registry.metrics()).toContain(
      'darkroom_altered_fields_total{model="image-l",field="prompt"} 3',
    );
  });

  it('has no name of a caller’s making in a metric', async () => {
    const { inputs, registry } = open({ 'image-l': { passUnknown: true } });
    inputs.note('image-l', { prompt: 'fox', mine: 1 }, { prompt: 'fox', mine: 2 });
    const metrics = await registry.metrics();
    expect(metrics).toContain('darkroom_altered_fields_total{model="image-l",field="other"} 1');
    expect(metrics).not.toContain('mine');
  });

  it('is not one that is added, or null, or of an answer that tells nothing', () => {
    const { inputs, warnings } = open();
    inputs.note('video-i', { prompt: 'fox', seed: null }, { prompt: 'fox', n: 1, seed: 7 });
    for (const nothing of [undefined, null, [], 'x']) inputs.note('video-i', { prompt: 'fox' }, nothing);
    inputs.note('no-such-model', { prompt: 'fox' }, {});
    expect(warnings).toEqual([]);
  });
});

describe('what a model’s tasks are told by', () => {
  it('are its fields on the wire, and those that normal answers show the API to add', () => {
    const { inputs } = open({ 'image-l': { fields: { n: 'num' } } });
    expect(inputs.shapeOf('image-l')?.takes).toMatchObject({
      names: ['prompt', 'aspect_ratio', 'resolution', 'image_urls', 'num'],
      open: false,
    });
    inputs.note(
      'image-l',
      { prompt: 'fox', style: 'x' },
      { prompt: 'fox', num: 1, style: 'x', safety: true },
    );
    expect(inputs.shapeOf('image-l')?.takes.names).toContain('safety');
    expect(inputs.shapeOf('image-l')?.takes.names).not.toContain('style');
    expect(inputs.shapeOf('image-m')?.takes.names).not.toContain('safety');
    expect(inputs.shapeOf('no-such-model')).toBeUndefined();
  });

  it('stay few, whatever the API adds', () => {
    const { inputs } = open({ 'image-l': { passUnknown: true } });
    for (let n = 0; n < 1_000; n += 1)
      inputs.note('image-l', { prompt: 'fox' }, { prompt: 'fox', [`x${n}`]: n });
    expect(inputs.shapeOf('image-l')?.takes).toMatchObject({ open: true });
    expect(inputs.shapeOf('image-l')?.takes.names.length).toBeLessThan(50);
  });
});
