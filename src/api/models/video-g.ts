import { defineModel } from './define-model.ts';
import { assumed, choice, optional, positive, prompt, results, url } from './fields.ts';

/** "Same shape" as model F, but the first frame may be missing, and only F has a seed. */
export const videoG = defineModel({
  id: 'video-g',
  family: 'video',
  title: 'Video from text and an optional first frame',
  output: 'video',
  typicalSeconds: 40,
  cost: { usdPerOutputSecond: 0.05 },
  fields: {
    prompt: prompt('What happens in the video'),
    first_frame_url: optional(url('The first frame image')),
    duration: assumed(positive('Duration of the output in seconds')),
    aspect_ratio: assumed(choice('Aspect ratio', ['16:9', '9:16', '4:3', '3:4', '1:1', '21:9'])),
    n: results(),
  },
});
