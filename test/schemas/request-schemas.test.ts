import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { describeModels } from '../../src/api/models/describe.ts';
import { checkGenerationRequest } from '../../src/contract/checks/check-generation.ts';
import { checkPipelineRequest } from '../../src/contract/checks/check-pipeline.ts';
import { REQUEST_SCHEMAS } from '../../src/schemas/request-schemas.ts';

const ajv = new Ajv2020({ strict: false, validateFormats: false });
for (const { id, schema } of describeModels()) ajv.addSchema(schema, `${id}.json`);
const isGeneration = ajv.compile(REQUEST_SCHEMAS['generation.json'] ?? {});
const isPipeline = ajv.compile(REQUEST_SCHEMAS['pipeline.json'] ?? {});

const deps = { models: {}, policy: {}, workspaces: new Map([['default', {}]]) };
const image = { model: 'image-l', input: { prompt: 'a lighthouse at dawn' } };
const large = { model: 'upscale-q', input: { image_url: { $from: 'still' } } };

describe('the JSON Schema of a workflow’s argument agrees with the worker', () => {
  it.each([
    image,
    { ...image, workspace: 'default' },
    { ...image, policy: { deadline: '30m', polling: { first: 500, factor: 1.5, max: '2m' } } },
    { ...image, policy: { retries: { RATE_LIMITED: { resubmissions: 0 } }, budget: { credits: 0.5 } } },
    { ...image, policy: { reconcile: { wait: ' 1.5 h ', otherwise: 'resubmit' } } },
    { ...image, earlierRun: '01a1feb0-b090-79f9-89a0-bfa401fc8e57' },
    { ...image, earlierRun: 'yesterday' },
    { ...image, tags: { team: 'film', 'a.b-c_d:e': '1' } },
    { ...image, tags: { team: 'two words' } },
    { ...image, tags: { team: 5 } },
    { ...image, tags: Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`t${index}`, 'x'])) },
    { ...image, templateId: 'tpl_poster' },
    { ...image, input: {}, templateId: 'tpl_poster' },
    { ...image, input: { n: 5 }, templateId: 'tpl_poster' },
    { ...image, input: { promt: 'y' }, templateId: 'tpl_poster' },
    { ...image, templateId: '' },
    { ...image, templateId: 'two words' },
    { ...image, templateId: 5 },
    { model: 'video-e', input: { resolution: '1080p', duration: 10 }, templateId: 'tpl_clip' },
    { ...image, model: 'image-1' },
    { ...image, input: {} },
    { ...image, input: { prompt: 'x', n: 99 } },
    { ...image, input: { prompt: 'x', promt: 'y' } },
    { ...image, seed: 1 },
    { ...image, policy: { deadline: 'never' } },
    { ...image, policy: { deadline: 0 } },
    { ...image, policy: { deadline: 1e12 } },
    { ...image, policy: { deadlin: '1m' } },
    { ...image, policy: { retries: { P_TIMEOUT: {} } } },
    { ...image, policy: { retries: { TIMEOUT: { resubmissions: 1.5 } } } },
    { ...image, policy: { polling: { factor: 0.5 } } },
    { ...image, policy: { reconcile: { otherwise: 'guess' } } },
    { ...image, policy: { budget: { credits: 0 } } },
    { model: 'image-l' },
    null,
    [],
  ])('of generation about %j', (request) => {
    expect(isGeneration(request)).toBe(checkGenerationRequest(request, deps).ok);
  });

  it.each([
    { steps: { still: image } },
    {
      steps: { still: image, large },
      policy: { deadline: '1h' },
      budget: { credits: 5 },
      allowPartial: true,
    },
    { steps: { still: { ...image, policy: { deadline: 1_000 } } }, reuse: 'pipeline/earlier' },
    { steps: { still: { ...image, approve: true, onFailure: 'hold' } }, tags: { team: 'film' } },
    { steps: { still: { ...image, approve: 'yes' } } },
    { steps: { still: { ...image, onFailure: 'wait' } } },
    {
      steps: { still: { model: 'image-l', input: { prompt: { $param: 'city' } } } },
      params: { city: 'Oslo' },
    },
    { steps: { still: image }, params: { 'a city': 'Oslo' } },
    { steps: { still: image }, params: ['Oslo'] },
    { steps: { still: image }, tags: 'film' },
    { steps: { still: { model: 'image-l', input: {} } } },
    { steps: { still: { model: 'image-l', input: {}, templateId: 'tpl_poster' } } },
    { steps: { still: { model: 'image-l', input: { promt: 'x' }, templateId: 'tpl_poster' } } },
    { steps: { still: { ...image, templateId: '' } } },
    { steps: {} },
    { steps: { 'a step': image } },
    { steps: { still: { model: 'image-l' } } },
    { steps: { still: { ...image, policy: { deadline: -1 } } } },
    { steps: { still: { ...image, budget: { credits: 1 } } } },
    { steps: { still: image }, budget: 5 },
    { steps: { still: image }, budget: { credits: -5 } },
    { steps: { still: image }, allowPartial: 'yes' },
    { steps: { still: image }, reuse: '' },
    { steps: { still: image }, parallel: true },
    { $schema: 'https://darkroom.example/schemas/pipeline.json', steps: { still: image, large } },
    { $schema: 5, steps: { still: image } },
    { steps: { still: { model: 'image-l', input: { promt: 'x' } } } },
    { steps: { still: { model: 'image-l', input: { prompt: 'x', n: 99 } } } },
    { steps: { still: { model: 'image-l', input: { prompt: 'x', n: { $param: 'n' } } } }, params: { n: 2 } },
    { steps: { still: image, large: { model: 'upscale-q', input: { image_url: { $each: 'still' } } } } },
    { steps: { still: image, large: { model: 'upscale-q', input: { image_url: { $all: 'still' } } } } },
    { steps: { still: image, large: { model: 'upscale-q', input: { image_url: '$still.url' } } } },
    { steps: { still: image, large: { model: 'upscale-q', input: { image_url: { from: 'still' } } } } },
    { steps: { still: image, next: { model: 'image-l', input: { prompt: { $from: 'still' } } } } },
    {
      steps: {
        still: image,
        next: { model: 'image-l', input: { prompt: 'x', image_urls: { $all: 'still' } } },
      },
    },
    {},
  ])('of pipeline about %j', (request) => {
    expect(isPipeline(request)).toBe(checkPipelineRequest(request, deps).ok);
  });
});

describe('docs/schemas', () => {
  it.each(Object.entries(REQUEST_SCHEMAS))('has %s as it is', (file, schema) => {
    const written = readFileSync(new URL(`../../docs/schemas/${file}`, import.meta.url), 'utf8');
    expect(written).toBe(`${JSON.stringify(schema, undefined, 2)}\n`);
  });
});
