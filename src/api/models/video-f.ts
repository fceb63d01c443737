import { defineModel } from './define-model.ts';
import { assumed, choice, positive, prompt, results, seed53, url } from './fields.ts';

export const videoF = defineModel({
  id: 'video-f',
  family: 'video',
  title: 'Video from a first frame',
  output: 'video',
  typicalSeconds: 40,
  cost: { usdPerOutputSecond: 0.05 },
  fields: {
    first_frame_url: url('The first frame image'),
    prompt: prompt('What happens in the video'),
    seed: assumed(seed53()),
    duration: assumed(positive('Duration of the output in seconds')),
    aspect_ratio: assumed(choice('Aspect ratio', ['16:9', '9:16', '4:3', '3:4', '1:1', '21:9'])),
    n: results(),
  },
});
