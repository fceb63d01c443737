import { expect, it } from 'vitest';
import { asWritten, withOutputNames, withUrls } from '../../../src/contract/purchases/origins.ts';
import { purchaseOf } from '../../../src/contract/purchases/purchase-of.ts';
import { withSeed } from '../../../src/contract/tasks/sent-seed.ts';

const FIRST = { kind: 'from', step: 'still', output: 0 } as const;
const ALL = { kind: 'all', step: 'still' } as const;
const input = {
  prompt: 'zoom',
  first_frame_url: 'https://a.example/old-0',
  elements: [{ url: 'https://a.example/old-1' }, 'plain'],
  image_urls: ['https://a.example/old-0', 'https://a.example/old-1'],
};
const origins = {
  first_frame_url: { reference: FIRST, outputs: ['t#0'] },
  'elements.0.url': { reference: FIRST, outputs: ['t#1'] },
  image_urls: { reference: ALL, outputs: ['t#0', 't#1'] },
};

it('an input is known by the outputs that its URLs stand for', () => {
  expect(withOutputNames(input, origins)).toEqual({
    prompt: 'zoom',
    first_frame_url: { outputs: ['t#0'] },
    elements: [{ url: { outputs: ['t#1'] } }, 'plain'],
    image_urls: { outputs: ['t#0', 't#1'] },
  });
  expect(asWritten(input, origins)).toMatchObject({ elements: [{ url: { reference: FIRST } }, 'plain'] });
});

it('an input takes other URLs for its outputs where all of a place are known', () => {
  const urls = new Map([['t#0', 'https://a.example/new-0']]);
  const some = { ...input, first_frame_url: 'https://a.example/new-0' };
  expect(withUrls(input, origins, urls)).toEqual(some);
  expect(withUrls(input, origins, urls.set('t#1', 'https://a.example/new-1'))).toEqual({
    ...some,
    elements: [{ url: 'https://a.example/new-1' }, 'plain'],
    image_urls: ['https://a.example/new-0', 'https://a.example/new-1'],
  });
});

it('an input was sent with another seed, or with one that nobody can tell', () => {
  expect(withSeed({ prompt: 'x', seed: 1 }, 7)).toEqual({ prompt: 'x', seed: 7 });
  expect(withSeed({ prompt: 'x' }, 7)).toEqual({ prompt: 'x', seed: 7 });
  expect(withSeed({ prompt: 'x', seed: 1 }, 'any')).toEqual({ prompt: 'x' });
});

it('a purchase is told of a request whose steps are no steps, too', () => {
  expect(purchaseOf('pipeline', { steps: { a: 'x', b: { model: 'm', policy: {} } } })).toEqual({
    steps: { a: 'x', b: { model: 'm' } },
    workspace: 'default',
  });
});
