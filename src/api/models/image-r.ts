import { defineModel } from './define-model.ts';
import { assumed, choice, prompt, results, seed53, text, urls } from './fields.ts';

export const imageR = defineModel({
  id: 'image-r',
  family: 'image',
  title: 'Image with a negative prompt',
  output: 'image',
  typicalSeconds: 8,
  fields: {
    prompt: prompt('What the image shows'),
    image_urls: assumed(urls('Input images')),
    seed: assumed(seed53()),
    aspect_ratio: assumed(choice('Aspect ratio', ['1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3'])),
    output_format: assumed(choice('Output format', ['webp', 'jpeg', 'png'])),
    negative_prompt: assumed(text('What to exclude', { example: 'people' })),
    n: results(),
  },
});
