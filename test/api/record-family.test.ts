import { expect, it } from 'vitest';
import { recordFamily } from '../../src/api/records/record-family.ts';

it.each([
  [{ data: { type: 'video', videos: [{ url: 'x' }] } }, 'video'],
  [{ data: { videos: [{ url: 'x' }], images: [{ url: 'y' }] } }, 'video'],
  [{ data: { videos: [], images: [{ url: 'y' }] } }, 'image'],
  [{ data: { type: 'image', images: [] } }, 'image'],
  [{ data: { type: 'audio', audios: [] } }, 'speech'],
  [{ data: { type: 'video', videos: [], images: [{ url: 'y' }] } }, 'video'],
  [{ data: { videos: [{ url: 'x' }] } }, 'video'],
  [{ data: { audios: [{ url: 'x' }] } }, 'speech'],
  [{ data: null, code: 'VIDEO_GENERATION_TIMEOUT' }, 'video'],
  [{ data: null, code: 'TTS_GENERATION_FAILED' }, 'speech'],
  [{ data: null, code: 'TIMEOUT' }, undefined],
  [{ data: 'https://example.com/x.png' }, undefined],
  [{ data: { url: 'x' } }, undefined],
  [{ data: null }, undefined],
  [{}, undefined],
])('%j was made by a model of family %s', (record, family) => {
  expect(recordFamily(record)).toBe(family);
});
