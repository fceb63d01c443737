import { randomUUID } from 'node:crypto';
import { exampleInput } from '../../../src/api/models/describe.ts';
import type { ModelOverrides } from '../../../src/api/models/override.ts';
import { MODELS, type ModelId } from '../../../src/api/models/registry.ts';
import { namingTemplate, toWire, type WireRequest } from '../../../src/api/wire.ts';
import type { Exchange } from './recording.ts';

/** A request that costs nothing, or that costs something only where the service does not refuse it. */
export interface Step {
  step: keyof typeof EXPECTED;
  model?: ModelId;
  request: Exchange['request'];
}

/** What a step's answer is by the API specification; a code with `P_` has the prefix of its model's family. */
export interface Expected {
  says: 'balance' | 'record' | 'accepted' | 'refusal';
  /** Where the specification shows it. */
  status?: number;
  code?: string;
}

/** The steps of a recording, each with what the specification says of its answer. */
export const EXPECTED = {
  balance: { says: 'balance', status: 200 },
  'balance without a key': { says: 'refusal', status: 401, code: 'UNAUTHORIZED' },
  'balance with a wrong key': { says: 'refusal', status: 401, code: 'UNAUTHORIZED' },
  'a task that does not exist': { says: 'refusal', status: 404, code: 'PREDICTION_NOT_FOUND' },
  'a submit without a key': { says: 'refusal', status: 401, code: 'UNAUTHORIZED' },
  'a submit without its fields': { says: 'refusal', status: 422, code: 'P_INVALID_INPUT' },
  'a submit from a template that does not exist': { says: 'refusal', code: 'TEMPLATE_NOT_FOUND' },
  'a submit': { says: 'accepted' },
  'its task': { says: 'record', status: 200 },
  'balance afterwards': { says: 'balance', status: 200 },
} as const satisfies Record<string, Expected>;

/** Whether a text names a step. */
export function isStep(name: string): name is keyof typeof EXPECTED {
  return Object.hasOwn(EXPECTED, name);
}

const get = (path: string, key: Exchange['request']['key'] = 'good'): Exchange['request'] => ({
  method: 'GET',
  path,
  key,
});

const post = (wire: WireRequest, key: Exchange['request']['key'] = 'good'): Exchange['request'] => ({
  method: 'POST',
  key,
  ...wire,
});

/** What is asked first: it costs nothing. */
export function freeSteps(overrides: ModelOverrides): Step[] {
  const wire = wireOf('image-l', overrides);
  return [
    { step: 'balance', request: get('credits') },
    { step: 'balance without a key', request: get('credits', 'none') },
    { step: 'balance with a wrong key', request: get('credits', 'wrong') },
    { step: 'a task that does not exist', request: get(`generation/${randomUUID()}`) },
    { step: 'a submit without a key', model: 'image-l', request: post(wire, 'none') },
  ];
}

/** Submits that are refused by the specification: a service that takes them charges for them. */
export function refusedSteps(model: ModelId, overrides: ModelOverrides): Step[] {
  const wire = wireOf(model, overrides);
  const noTemplate = namingTemplate(wire, `none-${randomUUID()}`, overrides[model]);
  return [
    { step: 'a submit without its fields', model, request: post({ ...wire, body: {} }) },
    { step: 'a submit from a template that does not exist', model, request: post(noTemplate) },
  ];
}

/** @param files where files for inputs lie, ending in a slash; undefined: the examples' own, which lead nowhere */
export function submitStep(model: ModelId, overrides: ModelOverrides, files?: string): Step {
  return { step: 'a submit', model, request: post(wireOf(model, overrides, files)) };
}

export function taskStep(model: ModelId, taskId: string): Step {
  return { step: 'its task', model, request: get(`generation/${encodeURIComponent(taskId)}`) };
}

export const LAST: Step = { step: 'balance afterwards', request: get('credits') };

function wireOf(model: ModelId, overrides: ModelOverrides, files?: string): WireRequest {
  const input = exampleInput(MODELS[model]);
  const text = JSON.stringify(input);
  const ready = files === undefined ? text : text.replaceAll('https://example.com/', files);
  return toWire(MODELS[model], JSON.parse(ready) as Record<string, unknown>, overrides[model]); // an input, as before
}
