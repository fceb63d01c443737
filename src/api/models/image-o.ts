import { defineModel } from './define-model.ts';
import { assumed, choice, prompt, results, url } from './fields.ts';

export const imageO = defineModel({
  id: 'image-o',
  family: 'image',
  title: 'Image with an optional input image',
  output: 'image',
  typicalSeconds: 8,
  fields: {
    prompt: prompt('What the image shows'),
    image_url: assumed(url('The input image (image-to-image)')),
    aspect_ratio: assumed(choice('Aspect ratio', ['1:1', '2:3', '3:2', '3:4', '4:3', '9:16', '16:9'])),
    output_format: assumed(choice('Output format', ['jpg', 'png', 'webp'])),
    n: results(),
  },
});
