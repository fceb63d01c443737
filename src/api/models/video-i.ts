import { z } from 'zod';
import { defineModel } from './define-model.ts';
import { assumed, choice, flag, number, prompt, results, seed53, urls } from './fields.ts';

export const videoI = defineModel({
  id: 'video-i',
  family: 'video',
  title: 'Video from text or references, turbo',
  output: 'video',
  typicalSeconds: 30,
  fields: {
    prompt: prompt('What happens in the video', { max: 3000 }),
    seed: assumed(z.nullable(seed53('Random seed; null or omitted gives a random one'))),
    duration: assumed(number('Duration in seconds', 2, 8)),
    resolution: assumed(choice('Resolution', ['720p', '1080p'])),
    aspect_ratio: assumed(choice('Aspect ratio', ['16:9', '9:16', '1:1'])),
    image_urls: assumed(urls('Reference images (reference-to-video)')),
    movement_amplitude: assumed(choice('How much moves', ['auto', 'small', 'medium', 'large'])),
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
