import { defineModel } from './define-model.ts';
import { assumed, choice, flag, prompt, results, seed53, text, url, urls } from './fields.ts';

export const videoK = defineModel({
  id: 'video-k',
  family: 'video',
  title: 'Video, lite, with a frames mode',
  output: 'video',
  typicalSeconds: 45,
  fields: {
    prompt: prompt('What happens in the video'),
    mode: assumed(choice('Generation mode', ['text-image', 'frames'])),
    image_url: assumed(url('The input image')),
    image_urls: assumed(urls('Input images')),
    first_frame_url: assumed(url('The first frame image (frames mode)')),
    last_frame_url: assumed(url('The last frame image (frames mode)')),
    resolution: assumed(choice('Resolution', ['720p', '1080p'])),
    aspect_ratio: assumed(choice('Aspect ratio', ['16:9', '9:16'])),
    negative_prompt: assumed(text('What to exclude', { example: 'people' })),
    seed: assumed(seed53('Random seed; omitted gives a random one')),
    auto_fix: assumed(flag('Whether a prompt that moderation would refuse is rewritten')),
    n: results(),
  },
  rules: [
    {
      says: 'first and last frame are for the frames mode',
      assumed: true,
      when: { mode: ['text-image'] },
      allow: { first_frame_url: 'absent', last_frame_url: 'absent' },
    },
  ],
});
