import { expect, it } from 'vitest';
import { describeModels } from '../../../src/api/models/describe.ts';

/** By the specification's words: what each field takes whose value is a file, and what a task makes. */
const KINDS: Record<string, { makes: string; takes: Record<string, string> }> = {
  'speech-a': { makes: 'audio', takes: { speaker_voice_embedding_file_url: 'embedding' } },
  'speech-b': { makes: 'audio', takes: {} },
  'face-swap-c': { makes: 'image', takes: { input_image: 'image', swap_image: 'image' } },
  'video-d': {
    makes: 'video',
    takes: { video_url: 'video', image_url: 'image', image_urls: 'image', reference_image_urls: 'image' },
  },
  'video-e': { makes: 'video', takes: { first_frame_url: 'image' } },
  'video-f': { makes: 'video', takes: { first_frame_url: 'image' } },
  'video-g': { makes: 'video', takes: { first_frame_url: 'image' } },
  'lip-sync-h': { makes: 'video', takes: { video_url: 'video', audio_url: 'audio' } },
  'video-i': { makes: 'video', takes: { image_urls: 'image' } },
  'video-j': { makes: 'video', takes: { image_url: 'image' } },
  'video-k': {
    makes: 'video',
    takes: { image_url: 'image', image_urls: 'image', first_frame_url: 'image', last_frame_url: 'image' },
  },
  'image-l': { makes: 'image', takes: { image_urls: 'image' } },
  'image-m': { makes: 'image', takes: { image_urls: 'image' } },
  'image-n': { makes: 'image', takes: { image_urls: 'image' } },
  'image-o': { makes: 'image', takes: { image_url: 'image' } },
  'image-p': { makes: 'image', takes: { image_urls: 'image' } },
  'upscale-q': { makes: 'image', takes: { image_url: 'image' } },
  'image-r': { makes: 'image', takes: { image_urls: 'image' } },
  'image-s': { makes: 'image', takes: { image_urls: 'image' } },
};

it('every model says what its fields take and what it makes', () => {
  const described = describeModels().map(({ id, output, fields }) => {
    const takes = fields.flatMap(({ name, kind }) => (kind === undefined ? [] : [[name, kind] as const]));
    return [id, { makes: output, takes: Object.fromEntries(takes) }];
  });
  expect(Object.fromEntries(described)).toEqual(KINDS);
});

it('the JSON Schemas have no word that strict validators do not know', () => {
  expect(JSON.stringify(describeModels().map(({ schema }) => schema))).not.toMatch(/"(kind|assumed)":/);
});
