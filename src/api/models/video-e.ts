import { defineModel } from './define-model.ts';
import { assumed, choice, flag, positive, prompt, results, url } from './fields.ts';

export const videoE = defineModel({
  id: 'video-e',
  family: 'video',
  title: 'Video from a first frame, fast',
  output: 'video',
  typicalSeconds: 30,
  fields: {
    prompt: prompt('What happens in the video'),
    first_frame_url: url('The first frame image'),
    duration: assumed(positive('Duration in seconds; 10 seconds only at 768p')),
    resolution: assumed(choice('Resolution; 1080p supports only 6 seconds', ['768p', '1080p'])),
    prompt_optimizer: assumed(flag('Whether the prompt is optimized first')),
    n: results(),
  },
  rules: [
    {
      says: '1080p supports only 6 seconds, and 10 seconds work only at 768p',
      when: { resolution: ['1080p'] },
      allow: { duration: [6] },
    },
  ],
});
