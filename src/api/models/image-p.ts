import { defineModel } from './define-model.ts';
import { assumed, choice, prompt, results, urls } from './fields.ts';

export const imageP = defineModel({
  id: 'image-p',
  family: 'image',
  title: 'Image with reference images',
  output: 'image',
  typicalSeconds: 10,
  fields: {
    prompt: prompt('What the image shows'),
    resolution: assumed(choice('Resolution', ['720p', '1080p'])),
    aspect_ratio: assumed(choice('Aspect ratio', ['16:9', '9:16', '4:3', '3:4', '1:1', '21:9'])),
    image_urls: assumed(urls('Reference images', { max: 3 })),
    n: results(),
  },
});
