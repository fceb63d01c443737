import { defineModel } from './define-model.ts';
import { assumed, choice, flag, prompt, results, urls } from './fields.ts';

export const imageM = defineModel({
  id: 'image-m',
  family: 'image',
  title: 'Image with web knowledge',
  output: 'image',
  typicalSeconds: 12,
  fields: {
    prompt: prompt('What the image shows'),
    resolution: assumed(choice('Resolution', ['1K', '2K', '4K'])),
    image_urls: assumed(urls('Input images', { max: 14 })),
    aspect_ratio: assumed(
      choice('Aspect ratio', ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9']),
    ),
    enable_web_search: assumed(flag('Whether the model may use current information from the web')),
    output_format: assumed(choice('Output format', ['jpeg', 'png', 'webp'])),
    n: results(),
  },
});
