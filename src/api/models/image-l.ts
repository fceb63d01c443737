import { defineModel } from './define-model.ts';
import { assumed, choice, prompt, results, urls } from './fields.ts';

export const imageL = defineModel({
  id: 'image-l',
  family: 'image',
  title: 'Image, general text-to-image and image-to-image',
  output: 'image',
  typicalSeconds: 8,
  fields: {
    prompt: prompt('What the image shows'),
    aspect_ratio: assumed(
      choice('Aspect ratio; match_input_image matches the first input image', [
        '1:1',
        '16:9',
        '3:2',
        '2:3',
        '4:5',
        '5:4',
        '9:16',
        '3:4',
        '4:3',
        'match_input_image',
      ]),
    ),
    resolution: assumed(choice('Resolution', ['1K', '2K', '4K'])),
    image_urls: assumed(urls('Input images (jpeg, png, gif or webp)', { max: 4 })),
    n: results(),
  },
});
