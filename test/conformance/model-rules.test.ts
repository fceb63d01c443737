import { describe, expect, it } from 'vitest';
import { validateInput } from '../../src/api/input/validate-input.ts';

const image = 'https://example.com/image.png';
const video = 'https://example.com/video.mp4';
const images = (count: number) => Array<string>(count).fill(image);

/** The paths that are blamed; none when the input may be submitted. */
function blamed(model: string, input: Record<string, unknown>): string[] {
  return validateInput(model, input).map(({ path }) => path);
}

describe('video-d', () => {
  const taken = {
    'text-to-video': ['aspect_ratio'],
    'image-to-video': ['image_url', 'image_urls'],
    'reference-to-video': ['image_urls', 'reference_image_urls', 'aspect_ratio'],
    'edit-video': ['video_url', 'image_urls', 'reference_image_urls', 'audio_setting'],
  };
  const values = {
    video_url: video,
    image_url: image,
    image_urls: [image],
    reference_image_urls: [image],
    aspect_ratio: '16:9',
    audio_setting: 'origin',
  };

  it.each(Object.entries(taken))(
    'takes in %s only what belongs to that workflow',
    (workflow_type, fields) => {
      const refused = Object.entries(values)
        .filter(([name, value]) => blamed('video-d', { workflow_type, [name]: value }).length > 0)
        .map(([name]) => name);
      expect(refused.sort()).toEqual(
        Object.keys(values)
          .filter((name) => !fields.includes(name))
          .sort(),
      );
    },
  );

  it('requires no field, because the API specification does not show which workflow needs which', () => {
    expect(
      ['text-to-video', 'image-to-video', 'reference-to-video', 'edit-video'].flatMap((workflow_type) =>
        blamed('video-d', { workflow_type }),
      ),
    ).toEqual([]);
    expect(blamed('video-d', { prompt: 'make it night', video_url: video })).toEqual([]);
  });

  it('takes 1 to 9 references, up to 5 guide images for an edit, and a single image as an alias', () => {
    const references = (workflow_type: string, count: number) =>
      blamed('video-d', { workflow_type, reference_image_urls: images(count) });
    expect([1, 9].flatMap((count) => references('reference-to-video', count))).toEqual([]);
    expect([0, 10].map((count) => references('reference-to-video', count))).toEqual([
      ['input.reference_image_urls'],
      ['input.reference_image_urls'],
    ]);
    expect(references('edit-video', 5)).toEqual([]);
    expect(references('edit-video', 6)).toEqual(['input.reference_image_urls']);
    expect(blamed('video-d', { video_url: video, reference_image_urls: images(6) })).toEqual([
      'input.reference_image_urls',
    ]);
    expect(blamed('video-d', { workflow_type: 'image-to-video', image_urls: images(1) })).toEqual([]);
    expect(blamed('video-d', { workflow_type: 'image-to-video', image_urls: images(2) })).toEqual([
      'input.image_urls',
    ]);
    expect(blamed('video-d', { image_urls: images(9) })).toEqual([]);
  });
});

describe('rules that the API specification only hints at', () => {
  const relaxed = (model: string, input: Record<string, unknown>): string[] =>
    validateInput(model, input, { assumedRules: 'relax' }).map(({ path }) => path);

  it.each([
    ['video-d', { workflow_type: 'image-to-video', video_url: video, aspect_ratio: '16:9' }],
    ['video-d', { workflow_type: 'text-to-video', image_urls: images(2), audio_setting: 'origin' }],
    ['video-k', { prompt: 'x', mode: 'text-image', first_frame_url: image }],
    ['image-n', { prompt: 'write to @Image at once, and to @Image7' }],
  ])('of %s can be relaxed by its configuration: %j', (model, input) => {
    expect(blamed(model, input)).not.toEqual([]);
    expect(relaxed(model, input)).toEqual([]);
  });

  it.each([
    ['video-d', { workflow_type: 'edit-video', reference_image_urls: images(6) }],
    ['video-d', { workflow_type: 'reference-to-video', reference_image_urls: [] }],
    ['video-e', { prompt: 'x', first_frame_url: image, resolution: '1080p', duration: 10 }],
    ['video-i', { prompt: 'x', bgm: true, duration: 5 }],
    ['image-s', { prompt: 'x', image_urls: [image], num_images: 5 }],
    ['video-k', { prompt: 'x', mode: 'frame' }],
  ])('are no others: %s keeps what is stated: %j', (model, input) => {
    expect(relaxed(model, input)).toEqual(blamed(model, input));
    expect(relaxed(model, input)).not.toEqual([]);
  });
});

describe('video-e', () => {
  it('makes 10 seconds only at 768p, and only 6 seconds at 1080p', () => {
    const at = (resolution: string | undefined, duration?: number) =>
      blamed('video-e', { prompt: 'x', first_frame_url: image, resolution, duration });
    expect([at('768p', 10), at('768p', 6), at('1080p', 6), at('1080p'), at(undefined, 10)].flat()).toEqual(
      [],
    );
    expect([at('1080p', 10), at('1080p', 5)]).toEqual([['input.duration'], ['input.duration']]);
  });
});

describe.each(['video-i', 'video-j'])('%s', (model) => {
  it('has background music only for 4-second videos', () => {
    expect(blamed(model, { prompt: 'x', bgm: true, duration: 4 })).toEqual([]);
    expect(blamed(model, { prompt: 'x', bgm: true })).toEqual([]);
    expect(blamed(model, { prompt: 'x', bgm: false, duration: 8 })).toEqual([]);
    expect(blamed(model, { prompt: 'x', bgm: true, duration: 5 })).toEqual(['input.duration']);
  });
});

describe('video-k', () => {
  it('takes a first and a last frame in the frames mode only', () => {
    const frames = { prompt: 'x', first_frame_url: image, last_frame_url: image };
    expect(blamed('video-k', { ...frames, mode: 'frames' })).toEqual([]);
    expect(blamed('video-k', frames)).toEqual([]);
    expect(blamed('video-k', { ...frames, mode: 'text-image' })).toEqual([
      'input.first_frame_url',
      'input.last_frame_url',
    ]);
  });
});

describe('image-n', () => {
  const refers = (prompt: string, count: number) => blamed('image-n', { prompt, image_urls: images(count) });

  it.each([
    ['@Image1 beside @Image2', 2],
    ['@Image10', 10],
    ['@Image at dusk', 1],
    ['no reference at all', 0],
    ['write to me@Image.org about @Images and @image7', 0],
    ['像@Image1一样', 1],
  ])('accepts "%s" with %i image(s)', (prompt, count) => {
    expect(refers(prompt, count)).toEqual([]);
  });

  it.each([
    ['@Image0', 1],
    ['@Image1 and @Image99999999999999999999', 3],
  ])('refuses "%s" with %i image(s)', (prompt, count) => {
    expect(refers(prompt, count)).toEqual(['input.prompt']);
  });

  it('leaves references to the API where elements bring images of their own', () => {
    const elements = [{ frontal_image_url: image, reference_image_urls: [image], whatever: 1 }];
    expect(blamed('image-n', { prompt: '@Image2', elements })).toEqual([]);
  });
});

describe('image-s', () => {
  it('makes up to 5 images from text and up to 4 when it edits', () => {
    const make = (num_images: number, count?: number) =>
      blamed('image-s', {
        prompt: 'x',
        num_images,
        ...(count === undefined ? {} : { image_urls: images(count) }),
      });
    expect([make(5), make(4, 1), make(4, 4)].flat()).toEqual([]);
    expect(make(5, 1)).toEqual(['input.num_images']);
  });
});
