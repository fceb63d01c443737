import { defineModel } from './define-model.ts';
import { assumed, choice, integer, prompt, results, seed31, text, urls } from './fields.ts';

export const imageS = defineModel({
  id: 'image-s',
  family: 'image',
  title: 'Image generation and edit',
  output: 'image',
  typicalSeconds: 10,
  fields: {
    prompt: prompt('What the image shows, or the edit; Chinese or English', { min: 1, max: 2000 }),
    image_urls: assumed(
      urls('Reference images, each at least 384x384 pixels; when given, the model edits', { min: 1, max: 4 }),
    ),
    negative_prompt: assumed(text('What to exclude', { max: 500, example: 'people' })),
    aspect_ratio: assumed(choice('Aspect ratio', ['1:1', '3:4', '9:16', '4:3', '16:9'])),
    seed: assumed(seed31()),
    num_images: assumed(integer('Number of images; text mode up to 5, edit mode up to 4', 1, 5)),
    n: results(),
  },
  rules: [
    {
      says: 'edit mode (with reference images) makes up to 4 images, text mode up to 5',
      when: { image_urls: 'given' },
      allow: { num_images: { maximum: 4 } },
    },
  ],
});
