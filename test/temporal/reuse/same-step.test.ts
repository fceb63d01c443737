import { expect, it } from 'vitest';
import type { Origins } from '../../../src/contract/purchases/origins.ts';
import { likeness } from '../../../src/temporal/reuse/same-step.ts';

const input = (url: string) => ({ prompt: 'slow zoom', first_frame_url: url });
const origins = (output: string, index = 0): Origins => ({
  first_frame_url: { reference: { kind: 'from', step: 'still', output: index }, outputs: [output] },
});
const bought = (url: string, noted: Origins = {}, workspace?: string) => ({
  request: { model: 'video-f', input: input(url), ...(workspace === undefined ? {} : { workspace }) },
  origins: noted,
});
const step = (url: string, noted: Origins = {}, workspace?: string) => ({
  model: 'video-f',
  workspace,
  input: input(url),
  origins: noted,
});

it('a generation is the step’s own where its URL is the same output, signed anew or not', () => {
  const before = bought('https://api/1?signed=yesterday', origins('task-1#0'));
  expect(likeness(before, step('https://api/1?signed=today', origins('task-1#0')))).toBe('same');
});

it('a generation of an output that was bought again is another one, even under the same URL', () => {
  const before = bought('https://api/latest', origins('task-1#0'));
  expect(likeness(before, step('https://api/latest', origins('task-2#0')))).toBe('other outputs');
});

it('a generation for another index of the same step is another one', () => {
  const before = bought('https://api/1', origins('task-1#0', 0));
  expect(likeness(before, step('https://api/2', origins('task-1#1', 1)))).toBe('different');
});

it('where nothing was noted the URLs themselves are compared', () => {
  expect(likeness(bought('https://api/1'), step('https://api/1', origins('task-1#0')))).toBe('same');
  expect(likeness(bought('https://api/1'), step('https://api/2', origins('task-1#0')))).toBe('different');
  expect(likeness(bought('https://api/1'), step('https://api/1'))).toBe('same');
});

it('what another workspace, another model or nobody has asked for is different', () => {
  const mine = step('https://api/1', {}, 'mine');
  expect(likeness(bought('https://api/1', {}, 'mine'), mine)).toBe('same');
  expect(likeness(bought('https://api/1', {}, 'yours'), mine)).toBe('different');
  expect(likeness(bought('https://api/1'), mine)).toBe('different');
  expect(likeness(bought('https://api/1'), step('https://api/1', {}, 'default'))).toBe('same');
  const { request } = bought('https://api/1', {}, 'mine');
  expect(likeness({ request: { ...request, model: 'video-g' }, origins: {} }, mine)).toBe('different');
  expect(likeness({ request: undefined, origins: {} }, mine)).toBe('different');
});
