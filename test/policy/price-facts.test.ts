import { describe, expect, it } from 'vitest';
import { CATALOGUED, catalogueUsd, priceFacts } from '../../src/policy/prices/price-facts.ts';

const factsOf = (model: string, input: Record<string, unknown>, templateId?: string) =>
  priceFacts({ model, input, templateId });

describe('what the catalogue prices', () => {
  it('is the seconds of two models, in USD', () => {
    expect(CATALOGUED).toEqual(['video-f', 'video-g']);
    expect(catalogueUsd({ model: 'video-f', input: { duration: 6 } })).toBe(0.3);
    expect(catalogueUsd({ model: 'video-g', input: { duration: 4, n: 3 } })).toBe(0.6);
  });

  it.each([
    ['another model', { model: 'video-e', input: { duration: 6 } }],
    ['no model', { model: 'video-z', input: { duration: 6 } }],
    ['a length that is left to the model', { model: 'video-f', input: {} }],
    ['a length that is none', { model: 'video-f', input: { duration: 0 } }],
    [
      'a template, which may say another length',
      { model: 'video-f', input: { duration: 6 }, templateId: 't' },
    ],
  ])('is nothing of %s', (_, ordered) => {
    expect(catalogueUsd(ordered)).toBeUndefined();
  });
});

describe('the kind of a task', () => {
  it('is written alike by every version, so that remembered prices are found again', () => {
    expect(factsOf('video-f', { prompt: 'a quay', duration: 5 })).toEqual({
      kind: 'USD by the catalogue',
      volume: 0.25,
      isByVolume: true,
    });
    expect(factsOf('video-e', { resolution: '768P', prompt_optimizer: true, duration: 6, n: 2 })).toEqual({
      kind: '["video-e",["prompt_optimizer",true],["resolution","768P"],null,"seconds"]',
      volume: 12,
    });
    expect(factsOf('video-f', { aspect_ratio: '1:1', n: 2 }, 't-1')).toEqual({
      kind: '["video-f",["aspect_ratio","1:1"],"t-1"]',
      volume: 2,
      isByVolume: true,
    });
  });

  it('does not hang on the order of fields, on fields that are left out, on files or on the number of results', () => {
    const { kind } = factsOf('image-s', { aspect_ratio: '1:1', output_format: 'png' }) ?? {};
    const same = { prompt: 'a fox', image_urls: ['https://a.example/1.png'], num_images: 3, n: 2, seed: 4 };
    expect(
      factsOf('image-s', { ...same, output_format: 'png', aspect_ratio: '1:1', resolution: undefined }),
    ).toEqual({ kind, volume: 6 });
  });

  it('is another one with a video to edit, whichever that is', () => {
    const edit = (video_url: unknown) => factsOf('video-d', { prompt: 'in snow', duration: 5, video_url });
    const { kind } = edit('https://a.example/1.mp4') ?? {};
    expect(edit('https://a.example/2.mp4')?.kind).toBe(kind);
    expect(edit(undefined)?.kind).not.toBe(kind);
    expect(edit(null)).toEqual(edit(undefined));
  });

  it('is the same whatever its sources last: that is its size, as far as anybody knows', () => {
    const input = {
      video_url: 'https://a.example/1.mp4',
      audio_url: 'https://a.example/1.mp3',
      quality: 'pro',
    };
    const of = (sourceSeconds?: Record<string, number>) =>
      priceFacts({ model: 'lip-sync-h', input, sourceSeconds });
    const kind = '["lip-sync-h",["audio_url","audio"],["quality","pro"],["video_url","video"],null]';
    expect(of()).toEqual({ kind, volume: 1, seconds: [null, null] });
    expect(of({ video_url: 8.2, audio_url: 7.9 })).toEqual({ kind, volume: 1, seconds: [7.9, 8.2] });
    expect(of({ video_url: 8.2, audio_url: 0, quality: 3 })).toEqual({
      kind,
      volume: 1,
      seconds: [null, 8.2],
    });
  });

  it('is another one with a template, and where the seconds are said', () => {
    const kinds = [
      factsOf('video-e', {}),
      factsOf('video-e', {}, 't-1'),
      factsOf('video-e', {}, 't-2'),
      factsOf('video-e', { duration: 6 }),
    ].map((facts) => facts?.kind);
    expect(new Set(kinds).size).toBe(4);
  });

  it.each(['5', 0, -5, null])('takes no duration of %j for seconds', (duration) => {
    expect(factsOf('video-e', { duration })).toEqual(factsOf('video-e', {}));
  });

  it('counts the characters of what is spoken alone', () => {
    expect(factsOf('speech-b', { text: 'four' })?.volume).toBe(4);
    expect(factsOf('speech-b', { text: '' })?.volume).toBe(1);
    expect(factsOf('speech-b', { text: 4_000 })?.volume).toBe(1);
    expect(factsOf('image-l', { text: 'four' })?.volume).toBe(1);
  });

  it('is not told of an unknown model, or in more than 500 characters', () => {
    expect(factsOf('image-z', {})).toBeUndefined();
    const rest = '["image-l",["resolution",""],null]'.length;
    expect(factsOf('image-l', { resolution: 'x'.repeat(500 - rest) })?.kind).toHaveLength(500);
    expect(factsOf('image-l', { resolution: 'x'.repeat(501 - rest) })).toBeUndefined();
  });
});
