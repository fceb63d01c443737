import { defineModel } from './define-model.ts';
import { anything, assumed, choice, flag, number, prompt, results, seed53, url } from './fields.ts';

export const videoJ = defineModel({
  id: 'video-j',
  family: 'video',
  title: 'Video with audio',
  output: 'video',
  typicalSeconds: 50,
  fields: {
    prompt: prompt('What happens in the video', { max: 3000 }),
    seed: assumed(seed53()),
    duration: assumed(number('Duration in seconds', 1, 16)),
    resolution: assumed(choice('Resolution', ['360p', '540p', '720p', '1080p'])),
    aspect_ratio: assumed(choice('Aspect ratio', ['16:9', '9:16', '1:1'])),
    image_url: assumed(url('The input image')),
    audio: assumed(anything('Audio and video output capability; the allowed values are not known')),
    bgm: assumed(flag('Background music; only for 4-second videos')),
    n: results(),
  },
  rules: [
    {
      says: 'background music is only for 4-second videos',
      when: { bgm: [true] },
      allow: { duration: [4] },
    },
  ],
});
